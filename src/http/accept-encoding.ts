/* `Accept-Encoding` (RFC 9110 section 12.5.3). */

/**
 * @param offered the server's encodings, its favourite first; it decides among equal weights
 * @returns the encoding that the client prefers; undefined for none: also when the client refuses all encodings and `identity`
 */
export function chooseEncoding<E extends string>(header: string | null, offered: readonly E[]): E | undefined {
  const weights = weightsOf(header ?? '');
  const weightOf = (name: string): number | undefined => weights.get(name) ?? weights.get('*');
  const [best] = offered
    .map(name => ({ name, weight: weightOf(name) ?? 0 }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight);
  // A client that does not name `identity` accepts it, but prefers every encoding that it names.
  return best && best.weight >= (weights.get('identity') ?? 0) ? best.name : undefined;
}

/** Whether the client refuses an answer that is not encoded. */
export function refusesIdentity(header: string | null): boolean {
  const weights = weightsOf(header ?? '');
  return (weights.get('identity') ?? weights.get('*')) === 0;
}

/** An element that cannot be read counts as 0: the client gets an encoding only if it clearly accepts it. */
function weightsOf(header: string): ReadonlyMap<string, number> {
  const elements = header.toLowerCase().split(',');
  return new Map(
    elements.map(element => {
      const [name = '', ...parameters] = element.split(';').map(part => part.trim());
      const weight =
        parameters.length === 0 ? '1' : /^q *= *(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(parameters[0] ?? '')?.[1];
      return [name === 'x-gzip' ? 'gzip' : name, Number(weight ?? 0)] as const;
    }),
  );
}
