/* Problems with input, each with the path of its field, which is shown in one form everywhere: `endpoints[0].guard.cidrs[1]`. */
import type { ProblemCode } from '../shared/problem-codes.ts';

/** Names of fields and indexes in lists; empty for the input as a whole. A query parameter is a field. */
export type FieldPath = readonly (string | number)[];
/** `message`: without the name of the field, such as "must not be empty". */
export type FieldProblem = { path: FieldPath; message: string; code?: ProblemCode };

/** `endpoints[0].guard.cidrs[1]`; empty for the input as a whole. */
export const pathText = (path: FieldPath): string =>
  path.map((step, i) => (typeof step === 'number' ? `[${step}]` : `${i === 0 ? '' : '.'}${step}`)).join('');

/** A problem as a sentence that begins with its field: "name must not be empty", "channel.to: required for email". */
export function problemText({ path, message }: FieldProblem): string {
  const field = pathText(path);
  if (field === '') return message;
  return `${field}${message.startsWith('must ') ? '' : ':'} ${message}`;
}

/** Notes a problem. @returns undefined instead of a value */
export type Report = (path: FieldPath, message: string) => undefined;

export function collectProblems(): { problems: FieldProblem[]; report: Report } {
  const problems: FieldProblem[] = [];
  return {
    problems,
    report: (path, message) => {
      problems.push({ path, message });
      return undefined;
    },
  };
}
