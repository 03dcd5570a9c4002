/*
 * Reads a guard from a request or a file. Nothing is ignored: a misspelt condition would leave the endpoint open. Every
 * problem has the path of its field, so that a file can name the line.
 */

import { parseCidr } from '../../shared/addresses.ts';
import { guardLimits, httpMethods, shownSecret } from '../../shared/guard.ts';
import { didYouMean } from '../../shared/suggest.ts';
import { collectProblems, type FieldPath, type FieldProblem, type Report, readObject } from '../field-problems.ts';
import { connectionFields } from '../headers.ts';
import type { Guard } from './model.ts';

const conditions = ['methods', 'cidrs', 'basic', 'token'] as const;
/** Visible ASCII and spaces between: every sender can put these into a header or a query, and all servers read them alike. */
const tokenForm = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;
const fieldName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
/** Not for a token: they belong to the connection or the message. */
const ownFields: ReadonlySet<string> = new Set([
  ...connectionFields,
  'host',
  'content-length',
  'content-type',
  'expect',
]);
const controls = /\p{Cc}/u;

/**
 * @param stored the guard that the endpoint has, whose secrets `[set]` keeps
 * @returns the guard, or at least one problem with its fields
 */
export function readGuard(given: unknown, stored: Guard | null): { guard: Guard } | { problems: FieldProblem[] } {
  const { problems, report } = collectProblems();
  const guard = guardOf(given, stored, report);
  return guard && problems.length === 0 ? { guard } : { problems };
}

function guardOf(given: unknown, stored: Guard | null, report: Report): Guard | undefined {
  const fields = readObject(given, [], [...conditions, 'onRefuse'], report);
  if (!fields) return undefined;
  if (conditions.every(name => fields[name] === undefined))
    report([], 'must have at least one of methods, cidrs, basic and token; without a guard it is null');
  const { onRefuse } = fields;
  if (onRefuse !== 'record' && onRefuse !== 'drop') report(['onRefuse'], 'must be record or drop');
  const methods = fields['methods'] === undefined ? undefined : methodsOf(fields['methods'], report);
  const cidrs = fields['cidrs'] === undefined ? undefined : cidrsOf(fields['cidrs'], report);
  const basic = fields['basic'] === undefined ? undefined : basicOf(fields['basic'], stored, report);
  const token = fields['token'] === undefined ? undefined : tokenOf(fields['token'], stored, report);
  if (basic && token?.in === 'header' && token.name.toLowerCase() === 'authorization')
    report(['token', 'name'], 'must not be Authorization beside basic, which uses it');
  return {
    ...(methods && { methods }),
    ...(cidrs && { cidrs }),
    ...(basic && { basic }),
    ...(token && { token }),
    onRefuse: onRefuse === 'drop' ? 'drop' : 'record',
  };
}

function listOf(given: unknown, path: FieldPath, max: number, report: Report): unknown[] | undefined {
  if (!Array.isArray(given)) return report(path, 'must be a list');
  if (given.length === 0) return report(path, 'must not be empty, which would refuse every delivery; leave it out');
  if (given.length > max) return report(path, `must have at most ${max} elements`);
  return given;
}

function methodsOf(given: unknown, report: Report): string[] | undefined {
  const read = listOf(given, ['methods'], guardLimits.methods, report)?.map((one, index) => {
    const method = typeof one === 'string' ? one.toUpperCase() : '';
    if (httpMethods.includes(method)) return method;
    const hint = typeof one === 'string' ? didYouMean(method, httpMethods) : '';
    return report(['methods', index], `must be an HTTP method such as POST${hint}`);
  });
  return read && [...new Set(read.filter(method => method !== undefined))];
}

function cidrsOf(given: unknown, report: Report): string[] | undefined {
  return listOf(given, ['cidrs'], guardLimits.cidrs, report)?.map((one, index) => {
    if (typeof one === 'string' && parseCidr(one)) return one;
    report(['cidrs', index], 'must be an address or a network such as 10.0.0.0/8 or 2001:db8::/32');
    return '';
  });
}

function basicOf(given: unknown, stored: Guard | null, report: Report): Guard['basic'] {
  const path = ['basic'];
  const fields = readObject(given, path, ['user', 'password'], report);
  if (!fields) return undefined;
  const user = textOf(fields['user'], [...path, 'user'], guardLimits.user, report);
  if (user?.includes(':')) report([...path, 'user'], 'must not contain a colon');
  const password = keptOr(
    stored?.basic?.password,
    fields['password'],
    [...path, 'password'],
    report,
    guardLimits.password,
  );
  return user === undefined || password === undefined ? undefined : { user, password };
}

function tokenOf(given: unknown, stored: Guard | null, report: Report): Guard['token'] {
  const path = ['token'];
  const fields = readObject(given, path, ['in', 'name', 'value'], report);
  if (!fields) return undefined;
  const place = fields['in'];
  if (place !== 'header' && place !== 'query') report([...path, 'in'], 'must be header or query');
  const name = textOf(fields['name'], [...path, 'name'], guardLimits.name, report);
  if (place === 'header' && name !== undefined && (!fieldName.test(name) || ownFields.has(name.toLowerCase())))
    report([...path, 'name'], 'must be the name of a header that a sender may choose, such as X-Hook-Token');
  const value = keptOr(stored?.token?.value, fields['value'], [...path, 'value'], report, guardLimits.token);
  if (value !== undefined && !tokenForm.test(value))
    report([...path, 'value'], 'must be visible ASCII characters, with spaces only between them');
  return name === undefined || value === undefined
    ? undefined
    : { in: place === 'query' ? 'query' : 'header', name, value };
}

/** The stored secret for `[set]`. */
function keptOr(
  stored: string | undefined,
  given: unknown,
  path: FieldPath,
  report: Report,
  max: number,
): string | undefined {
  if (given !== shownSecret) return textOf(given, path, max, report);
  return stored || report(path, `${shownSecret} keeps a stored value, but none is stored: give the value itself`);
}

function textOf(given: unknown, path: FieldPath, max: number, report: Report): string | undefined {
  if (typeof given !== 'string' || given === '')
    return report(path, given === '' ? 'must not be empty' : 'must be a text');
  if (given.length > max) return report(path, `must have at most ${max} characters`);
  if (controls.test(given) || !given.isWellFormed()) return report(path, 'must be text without control characters');
  return given;
}
