/* Parses application/x-www-form-urlencoded bodies and query strings into ordered pairs. Repeated names are kept. */

import { attempt } from '../../kit/attempt.ts';

export type FormField = { name: string; value: string; raw: string };

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
const decodeField = (text: string): string => attempt(() => decodeURIComponent(text.replaceAll('+', ' '))) ?? text;
