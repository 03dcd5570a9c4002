/* Reads structures written by people: every problem has the path of its field, and unknown fields are problems, too. */
import { didYouMean } from '../shared/suggest.ts';

export type FieldPath = readonly (string | number)[];
export type FieldProblem = { path: FieldPath; message: string };

/** Notes a problem. @returns undefined instead of a value */
export type Report = (path: FieldPath, message: string) => undefined;

export type Fields = Record<string, unknown>;

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

/** An object, whose fields must be among `known`. */
export function readObject(
  given: unknown,
  path: FieldPath,
  known: readonly string[],
  report: Report,
): Fields | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return report(path, 'must be an object');
  for (const name of Object.keys(given).filter(key => !known.includes(key)))
    report([...path, name], `no such field${didYouMean(name, known)}`);
  return given as Fields;
}
