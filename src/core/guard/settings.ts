/*
 * Checks the settings of a guard that has the form of schema.ts. Every problem has the path of its field, so that a file can name
 * the line.
 */
import { parseCidr } from '../../shared/addresses.ts';
import { httpMethods, shownSecret } from '../../shared/guard.ts';
import { didYouMean } from '../../shared/suggest.ts';
import { collectProblems, type FieldPath, type FieldProblem, type Report } from '../field-problems.ts';
import { connectionFields, isToken } from '../headers.ts';
import type { Guard } from './model.ts';

/** Visible ASCII and spaces between: every sender can put these into a header or a query, and all servers read them alike. */
const tokenForm = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;
/** Not for a token: they belong to the connection or the message. */
const ownFields: ReadonlySet<string> = new Set([
  ...connectionFields,
  'host',
  'content-length',
  'content-type',
  'expect',
]);
const controls = /\p{Cc}/u;

export type CheckedGuard = { guard: Guard } | { problems: FieldProblem[] };

/** @param stored the guard that the endpoint has, whose secrets `[set]` keeps @returns the guard, or at least one problem */
export function checkGuard(given: Guard, stored: Guard | null): CheckedGuard {
  const { methods, cidrs, basic, token, onRefuse } = given;
  const { problems, report } = collectProblems();
  if (!methods && !cidrs && !basic && !token)
    report([], 'must have at least one of methods, cidrs, basic and token; without a guard it is null');
  const guard = {
    ...(methods && { methods: readMethods(methods, report) }),
    ...(cidrs && { cidrs: readCidrs(cidrs, report) }),
    ...(basic && { basic: readBasic(basic, stored?.basic?.password, report) }),
    ...(token && { token: readToken(token, stored?.token?.value, report) }),
    onRefuse,
  };
  if (basic && token?.in === 'header' && token.name.toLowerCase() === 'authorization')
    report(['token', 'name'], 'must not be Authorization beside basic, which uses it');
  return problems.length === 0 ? { guard } : { problems };
}

function checkNotEmpty(list: readonly string[], path: FieldPath, report: Report): void {
  if (list.length === 0) report(path, 'must not be empty, which would refuse every delivery; leave it out');
}

function readMethods(given: readonly string[], report: Report): string[] {
  checkNotEmpty(given, ['methods'], report);
  const methods = given.map(one => one.toUpperCase());
  for (const [i, method] of methods.entries())
    if (!httpMethods.includes(method))
      report(['methods', i], `must be an HTTP method such as POST${didYouMean(method, httpMethods)}`);
  return [...new Set(methods)];
}

function readCidrs(given: string[], report: Report): string[] {
  checkNotEmpty(given, ['cidrs'], report);
  for (const [i, one] of given.entries())
    if (!parseCidr(one)) report(['cidrs', i], 'must be an address or a network such as 10.0.0.0/8 or 2001:db8::/32');
  return given;
}

type Basic = NonNullable<Guard['basic']>;
function readBasic({ user, password }: Basic, stored: string | undefined, report: Report): Basic {
  checkText(user, ['basic', 'user'], report);
  if (user.includes(':')) report(['basic', 'user'], 'must not contain a colon');
  return { user, password: readSecret(password, stored, ['basic', 'password'], report) };
}

type Token = NonNullable<Guard['token']>;
function readToken({ in: place, name, value: given }: Token, stored: string | undefined, report: Report): Token {
  const isText = checkText(name, ['token', 'name'], report);
  if (isText && place === 'header' && (!isToken(name) || ownFields.has(name.toLowerCase())))
    report(['token', 'name'], 'must be the name of a header that a sender may choose, such as X-Hook-Token');
  const value = readSecret(given, stored, ['token', 'value'], report);
  if (!tokenForm.test(value) && isPlain(value))
    report(['token', 'value'], 'must be visible ASCII characters, with spaces only between them');
  return { in: place, name, value };
}

/** @returns the stored secret for `[set]` */
function readSecret(given: string, stored: string | undefined, path: FieldPath, report: Report): string {
  if (given !== shownSecret) {
    checkText(given, path, report);
    return given;
  }
  if (!stored) report(path, `${shownSecret} keeps a stored value, but none is stored: give the value itself`);
  return stored || given;
}

const isPlain = (text: string): boolean => !controls.test(text) && text.isWellFormed();

function checkText(given: string, path: FieldPath, report: Report): boolean {
  if (!isPlain(given)) report(path, 'must be text without control characters');
  return isPlain(given);
}
