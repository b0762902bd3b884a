// Messages of the derivation view beside the inputs that they are about.

/** Inputs by the names that the server has for them. */
export class Places {
  /** @type {Record<string, Field>} */
  fields = {};

  /**
   * @template {Field} Input
   * @param {string} name
   * @param {Input} field
   */
  add(name, field) {
    this.fields[name] = field;
    return field;
  }

  /**
   * Forget inputs that are replaced by others.
   * @param {RegExp} names
   */
  drop(names) {
    for (const name of Object.keys(this.fields)) if (names.test(name)) delete this.fields[name];
  }

  /**
   * Take messages away: all, or those of some tables.
   * @param {string[]} [tables]
   */
  clear(tables) {
    for (const [name, field] of Object.entries(this.fields))
      if (!tables || tables.includes(name.split(".")[0])) field.refuse("");
  }

  /**
   * Say it where it belongs: the field that the answer names, or the word that the message begins with.
   * @param {Problem} problem
   * @param {(message: string) => void} otherwise
   */
  refuse(problem, otherwise) {
    const named = problem.field || (problem.message.match(/^\[?([a-z_]+(?:\.\w+)*)/) || [])[1] || "";
    const place = [named, named.split(".").slice(0, 2).join("."), named.split(".")[0]].find(
      (name) => name in this.fields,
    );
    if (place === undefined) {
      otherwise(problem.message);
      return false;
    }
    const fold = this.fields[place].closest("details");
    if (fold) fold.open = true;
    this.fields[place].refuse(problem.message);
    return true;
  }
}
