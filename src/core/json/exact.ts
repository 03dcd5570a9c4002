/* Parses JSON so that numbers which JavaScript cannot hold, or would write differently, keep their spelling in `JSON.stringify`. */

/** Not in TypeScript's library yet. */
const exact = JSON as unknown as {
  rawJSON: (text: string) => object;
  parse: (text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown) => unknown;
};

/** Such numbers become objects that `JSON.stringify` writes with their original spelling. @throws SyntaxError */
export const parseExactJson = (text: string): unknown =>
  exact.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && source !== String(value) ? exact.rawJSON(source) : value,
  );
