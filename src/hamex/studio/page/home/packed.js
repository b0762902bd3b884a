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
 * An answer as the studio sends it, from one that was packed.
 * @param {any} value
 * @returns {Promise<any>}
 */
export async function unpacked(value) {
  if (value === null || typeof value !== "object") return value;
  if (value.dtype === "i2") return numbers(value);
  if (Array.isArray(value)) return value;
  const entries = await Promise.all(Object.entries(value).map(async ([key, entry]) => [key, await unpacked(entry)]));
  const found = Object.fromEntries(entries);
  if (found.loop_displacement === "means of the ends")
    found.loop_displacement = stepMeans(found.displacement, found.dofs.length);
  return found;
}
