// Pages that are taken home: what is large in them is packed, and unpacked when they are opened.

/**
 * Bytes from deflated ones in base64. Stands alone: it is also written into pages as it is.
 * @param {string} text
 */
export async function inflated(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * Runs the packed script of a page. Stands alone with the one above.
 * @param {string} id
 */
export async function runPacked(id) {
  const node = document.createElement("script");
  node.textContent = new TextDecoder().decode(await inflated(document.getElementById(id)?.textContent ?? ""));
  document.head.append(node);
}

/**
 * Text deflated, in base64.
 * @param {string} text
 */
export async function deflated(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate")),
    bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let letters = "";
  for (let i = 0; i < bytes.length; i += 0x8000) letters += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(letters);
}

/**
 * An array from the differences of its whole numbers; low bytes stand before high ones, sums wrap around.
 * @param {{order: number, scale: number, bdata: string}} packed
 */
async function numbers({order, scale, bdata}) {
  const bytes = await inflated(bdata),
    count = bytes.length / 2,
    whole = new Int16Array(count);
  for (let i = 0; i < count; i++) whole[i] = bytes[i] | (bytes[count + i] << 8);
  for (let k = 0; k < order; k++) for (let i = 1; i < count; i++) whole[i] += whole[i - 1];
  return Float32Array.from(whole, (value) => scale * value);
}

/**
 * Means of the ends of every step, of each component.
 * @param {Numbers} ends
 * @param {number} components
 */
function stepMeans(ends, components) {
  const count = ends.length / components,
    found = new Float32Array(ends.length - components);
  for (let k = 0, at = 0; k < components; k++)
    for (let i = 1; i < count; i++) found[at++] = (ends[k * count + i] + ends[k * count + i - 1]) / 2;
  return found;
}

/**
 * Straight lines between the entries that were kept, of each component.
 * @param {Numbers} few
 * @param {number[]} places of the entries that were kept
 * @param {number} count entries of a component as the studio sends them
 */
function filled(few, places, count) {
  const kept = places.length,
    components = few.length / kept,
    found = new Float32Array(components * count);
  for (let k = 0; k < components; k++)
    for (let i = 0, j = 0; i < count; i++) {
      while (j < kept - 2 && places[j + 1] < i) j++;
      const along = (i - places[j]) / (places[j + 1] - places[j]);
      found[k * count + i] = (1 - along) * few[k * kept + j] + along * few[k * kept + j + 1];
    }
  return found;
}

/**
 * The histories of an answer that was thinned out, whole again: some stand at nodes, some belong to steps.
 * @param {any} answer
 */
function whole({gaps, ...answer}) {
  const nodes = [0];
  for (const gap of gaps) nodes.push(nodes[nodes.length - 1] + gap);
  const ends = nodes.slice(1).map((node) => node - 1),
    steps = nodes[nodes.length - 1];
  const fill = (/** @type {any} */ values) => {
    if (!(values instanceof Float32Array)) return values;
    return values.length % nodes.length === 0 ? filled(values, nodes, steps + 1) : filled(values, ends, steps);
  };
  const found = {...answer, ground: answer.ground && {...answer.ground, values: fill(answer.ground.values)}};
  for (const name of ["displacement", "slip", "loop_force", "loop_displacement"]) found[name] = fill(answer[name]);
  found.energy = Object.fromEntries(Object.entries(answer.energy).map(([name, values]) => [name, fill(values)]));
  return found;
}

/**
 * An answer as the studio sends it, from one that was packed.
 * @param {any} value
 * @returns {Promise<any>}
 */
export async function unpacked(value) {
  if (value === null || typeof value !== "object") return value;
  if (value.dtype === "i2") return numbers(value);
  if (Array.isArray(value)) return value;
  const entries = await Promise.all(Object.entries(value).map(async ([key, entry]) => [key, await unpacked(entry)]));
  const given = Object.fromEntries(entries),
    found = given.gaps ? whole(given) : given;
  if (found.loop_displacement === "means of the ends")
    found.loop_displacement = stepMeans(found.displacement, found.dofs.length);
  return found;
}
