/* Parses application/x-www-form-urlencoded bodies and query strings into ordered pairs. Repeated names are kept. */

export type FormField = { name: string; value: string; raw: string };

/** The pairs in the order they were sent. Empty pairs (`&&`) are skipped. */
export const parseForm = (text: string): FormField[] =>
  text
    .split('&')
    .filter(pair => pair !== '')
    .map(pair => {
      const at = pair.indexOf('=');
      const name = at < 0 ? pair : pair.slice(0, at);
      return { name: decodeField(name), value: at < 0 ? '' : decodeField(pair.slice(at + 1)), raw: pair };
    });

/** Decodes `+` and `%XX`. Text with malformed escapes is returned unchanged. */
const decodeField = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
};
