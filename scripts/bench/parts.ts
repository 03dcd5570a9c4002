/* The parts of a benchmark, which `--only NAME,NAME` selects. */

/** @throws if `only` has an unknown name */
export function chosenParts<Part extends string>(parts: readonly Part[], only: string): Part[] {
  return only.split(',').map(name => {
    const part = parts.find(one => one === name);
    if (part === undefined) throw new Error(`--only: unknown part ${name}; parts: ${parts.join(', ')}`);
    return part;
  });
}

/** The file name for the results in .bench/. A run of some parts must not overwrite a complete one. */
export function reportName(bench: string, parts: readonly string[], chosen: readonly string[]): string {
  return parts.every(part => chosen.includes(part)) ? bench : [bench, ...chosen].join('-');
}
