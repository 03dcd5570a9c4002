/* A bench has parts, each of which can be run alone: `--only one,other`. */

/** @throws when `only` names a part that there is not. */
export function chosenParts<Part extends string>(parts: readonly Part[], only: string): Part[] {
  return only.split(',').map(name => {
    const part = parts.find(one => one === name);
    if (part === undefined) throw new Error(`--only: no part ${name}; there are ${parts.join(', ')}`);
    return part;
  });
}

/** A run of some parts does not take the place of a whole one in .bench/. */
export function reportName(bench: string, parts: readonly string[], chosen: readonly string[]): string {
  return parts.every(part => chosen.includes(part)) ? bench : [bench, ...chosen].join('-');
}
