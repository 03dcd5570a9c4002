/* What `fetch` says of its failure, without the advice that it has for programmers. */

export const fetchErrorMessage = (error: unknown): string =>
  (error as Error).message.replace(/ For more information, pass .*$/s, '');
