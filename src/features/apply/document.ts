/* Reads the content of a file of endpoints, as far as that needs no database. */

import { AppError } from '../../core/errors.ts';
import {
  collectProblems,
  type FieldPath,
  type FieldProblem,
  type Fields,
  type Report,
  readObject,
} from '../../core/field-problems.ts';
import type { Guard } from '../../core/guard/model.ts';
import { readGuard } from '../../core/guard/read.ts';
import { readEmail, readName } from '../../core/text.ts';
import { findPlatform, parseSecret } from '../../platforms/platforms.ts';
import { readAnswers } from './answers.ts';
import { readForwards } from './forwards.ts';
import type { DeclaredEndpoint } from './model.ts';

const maxEndpoints = 10_000;
const addressForm = /^[a-z0-9][a-z0-9-]{2,62}$/;
const endpointFields = ['name', 'account', 'address', 'secrets', 'answers', 'forwards', 'guard', 'retention'];

/** An element of the list with its place in it. */
export type Declaration = DeclaredEndpoint & { path: FieldPath };

/** @param takesAddresses whether the operator allows fixed addresses */
export function readDocument(
  document: unknown,
  takesAddresses: boolean,
): { endpoints: Declaration[]; problems: FieldProblem[] } {
  const { problems, report } = collectProblems();
  const { endpoints: given } = readObject(document, [], ['endpoints'], report) ?? {};
  if (problems.length === 0 && !Array.isArray(given)) report(['endpoints'], 'must be a list of endpoints');
  const list = Array.isArray(given) ? given : [];
  if (list.length > maxEndpoints) report(['endpoints'], `must have at most ${maxEndpoints} endpoints`);
  const endpoints = list.slice(0, maxEndpoints).flatMap((one, index) => {
    const path = ['endpoints', index];
    const fields = readObject(one, path, endpointFields, report);
    if (fields?.['address'] !== undefined && !takesAddresses)
      report([...path, 'address'], 'fixed addresses need HOOKTAPE_FIXED_ADDRESSES=on');
    return fields ? (readEndpoint(fields, path, report) ?? []) : [];
  });
  return { endpoints, problems };
}

function readEndpoint(fields: Fields, path: FieldPath, report: Report): Declaration | undefined {
  const name = readText(fields, 'name', path, report, readName);
  const account = readText(fields, 'account', path, report, readEmail);
  const { address, secrets, answers, forwards, guard, retention } = fields;
  if (address !== undefined && !(typeof address === 'string' && addressForm.test(address)))
    report(
      [...path, 'address'],
      'must be 3 to 63 lower-case letters, digits and hyphens, and begin with a letter or digit',
    );
  if (retention !== undefined && retention !== null && typeof retention !== 'string')
    report([...path, 'retention'], 'must be a duration such as 30d, or null');
  const read = {
    guard: guard === undefined ? undefined : guard === null ? null : readGivenGuard(guard, [...path, 'guard'], report),
    secrets: secrets === undefined ? undefined : readSecrets(secrets, [...path, 'secrets'], report),
    answers: answers === undefined ? undefined : readAnswers(answers, [...path, 'answers'], report),
    forwards: forwards === undefined ? undefined : readForwards(forwards, [...path, 'forwards'], report),
  };
  if (name === undefined || account === undefined) return undefined;
  return {
    path,
    name,
    account,
    ...(typeof address === 'string' && { address }),
    ...(read.secrets && { secrets: read.secrets }),
    ...(read.answers && { answers: read.answers }),
    ...(read.forwards && { forwards: read.forwards }),
    ...(read.guard !== undefined && { guard: read.guard }),
    ...((typeof retention === 'string' || retention === null) && { retention }),
  };
}

function readText(
  fields: Fields,
  name: string,
  path: FieldPath,
  report: Report,
  read: (text: string) => string,
): string | undefined {
  const given = fields[name];
  if (given === undefined) return report([...path, name], 'is missing');
  if (typeof given !== 'string') return report([...path, name], 'must be a text');
  return attempt([...path, name], report, () => read(given));
}

/** Checked with any stored secrets. Whether there are some is checked with the endpoint. */
function readGivenGuard(given: unknown, path: FieldPath, report: Report): Guard | undefined {
  const read = readGuard(given, anySecrets);
  // Its form has been checked. The secrets are those of the file.
  if ('guard' in read) return given as Guard;
  for (const one of read.problems) report([...path, ...one.path], one.message);
  return undefined;
}
const anySecrets: Guard = {
  basic: { user: '', password: 'stored' },
  token: { in: 'query', name: '', value: 'stored' },
  onRefuse: 'drop',
};

/** @returns undefined when `read` refuses */
function attempt<T>(path: FieldPath, report: Report, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    for (const problem of error.problems) report([...path, ...problem.path], problem.message);
    return undefined;
  }
}

/** `value`: as read by the command; absent if the command has reported a problem instead. */
function readSecrets(given: unknown, path: FieldPath, report: Report): DeclaredEndpoint['secrets'] {
  if (!Array.isArray(given)) return report(path, 'must be a list');
  const secrets = given.flatMap((one, index) => {
    const at = [...path, index];
    const fields = readObject(one, at, ['platform', 'value'], report);
    if (!fields) return [];
    const { platform, value } = fields;
    if (platform !== null && typeof platform !== 'string')
      return report([...at, 'platform'], 'must be the name of a platform, or null for any') ?? [];
    if (typeof value !== 'string') return [];
    const parsed = parseSecret(platform, value);
    if ('error' in parsed) return report([...at, 'valueFrom'], parsed.error) ?? [];
    return [{ platform: platform === null ? null : (findPlatform(platform)?.name ?? null), secret: parsed.secret }];
  });
  return [...new Map(secrets.map(one => [JSON.stringify(one), one])).values()];
}
