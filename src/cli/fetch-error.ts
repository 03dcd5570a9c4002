/* The message of a failed `fetch`, without its advice for developers. */

export const fetchErrorMessage = (error: unknown): string =>
  (error as Error).message.replace(/ For more information, pass .*$/s, '');
