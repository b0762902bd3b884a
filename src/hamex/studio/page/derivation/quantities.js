// What a motion consists of, with its units: fields, their rates and momenta, energy.

const RATE = "\u2032";
const ENERGY = "force length";

/** @type {Record<string, string>} energy times second over the unit of a field, where it has a shorter name */
const MOMENTA = {length: "force s", rad: "force length s", "force s": "length", force: "length s"};

/**
 * Histories that an axis of a plane can show.
 * @param {MotionAnswer} motion
 * @returns {[name: string, values: Packed][]}
 */
export const quantities = ({fields, displacement, velocity, momentum}) =>
  fields.flatMap((name) => [
    [name, displacement[name]],
    [`${name}${RATE}`, velocity[name]],
    [`p_${name}`, momentum[name]],
  ]);

/** @type {(name: string) => string} */
export const rateOf = (name) => `${name}${RATE}`;

/**
 * The unit of a field, of its rate or of its momentum; none where the system does not tell that of the field.
 * @param {SystemAnswer} about
 * @param {string} name
 */
function unitOf(about, name) {
  const own = (/** @type {string} */ field) => about.symbols.find((one) => one.name === field)?.unit ?? "";
  if (name.endsWith(RATE)) {
    const unit = own(name.slice(0, -1));
    return unit === "force s" ? "force" : unit && `${unit}/s`;
  }
  if (name.startsWith("p_") && !own(name)) {
    const unit = own(name.slice(2));
    return unit && (MOMENTA[unit] ?? `${ENERGY} s/(${unit})`);
  }
  return own(name);
}

/**
 * A name with its unit, for an axis.
 * @param {SystemAnswer} about
 * @param {string} name
 */
export const withUnit = (about, name) => `${name} [${unitOf(about, name) || "no unit told"}]`;

/**
 * The unit of H and of its imbalance, where the system tells that of a field.
 * @param {SystemAnswer} about
 */
export const energyUnit = (about) =>
  about.symbols.some(({kind, unit}) => kind === "field" && unit) ? ENERGY : "no unit told";
