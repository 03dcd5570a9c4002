/* Reads the content of a file of endpoints, as far as that needs no database. Every problem is reported, with the path of its field. */
import type { Static, TSchema } from '@sinclair/typebox';
import type { AnswerRules } from '../../core/answers/model.ts';
import { checkRules } from '../../core/answers/rules.ts';
import { AnswerRule } from '../../core/answers/schema.ts';
import { AppError } from '../../core/errors.ts';
import { collectProblems, type FieldPath, type FieldProblem, type Report } from '../../core/field-problems.ts';
import { readForward } from '../../core/forward.ts';
import { ForwardInput } from '../../core/forward-schema.ts';
import type { Guard } from '../../core/guard/model.ts';
import { readGuard } from '../../core/guard/read.ts';
import { fittingPart, readFields } from '../../core/read-fields.ts';
import type { Redaction } from '../../core/redaction/model.ts';
import { checkRedaction, GivenRedaction } from '../../core/redaction/schema.ts';
import { readEmail, readName } from '../../core/text.ts';
import { findPlatform, parseSecret } from '../../platforms/platforms.ts';
import type { ForwardSettings } from '../../shared/forwards.ts';
import { type DeclaredEndpoint, EndpointForm, FileForm, SecretForm } from './model.ts';

/** An element of the list with its place in it. */
export type Declaration = DeclaredEndpoint & { path: FieldPath };

/** @param takesAddresses whether the operator allows fixed addresses */
export function readDocument(
  document: unknown,
  takesAddresses: boolean,
): { endpoints: Declaration[]; problems: FieldProblem[] } {
  const { problems, report } = collectProblems();
  const form = readForm(FileForm, document, [], report);
  const endpoints = (form?.endpoints ?? []).flatMap((one, index) => {
    const path = ['endpoints', index];
    if (!takesAddresses && hasAddress(one))
      report([...path, 'address'], 'fixed addresses need HOOKTAPE_FIXED_ADDRESSES=on');
    return readEndpoint(one, path, report) ?? [];
  });
  return { endpoints, problems };
}

const hasAddress = (endpoint: unknown): boolean =>
  typeof endpoint === 'object' && endpoint !== null && 'address' in endpoint;

/** @returns undefined if the value does not fit the schema, which is reported */
function readForm<T extends TSchema>(
  schema: T,
  given: unknown,
  path: FieldPath,
  report: Report,
): Static<T> | undefined {
  const read = readFields(schema, given);
  return 'value' in read ? read.value : reportAll(read.problems, path, report);
}

function reportAll(problems: readonly FieldProblem[], path: FieldPath, report: Report): undefined {
  for (const one of problems) report([...path, ...one.path], one.message);
}

/** @returns undefined if `read` refuses, which is reported */
function attempt<T>(path: FieldPath, report: Report, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return reportAll(error.problems, path, report);
  }
}

function readEndpoint(given: unknown, path: FieldPath, report: Report): Declaration | undefined {
  const form = readFields(EndpointForm, given);
  const problems = 'problems' in form ? form.problems : [];
  reportAll(problems, path, report);
  if (problems.some(problem => problem.path.length === 0)) return undefined;
  const wrong = new Set(problems.map(problem => problem.path[0]));
  const fields = given as Partial<Static<typeof EndpointForm>>;
  /** Reads a field that is given and has its form. */
  const field = <K extends keyof typeof fields, T>(
    name: K,
    read: (value: NonNullable<(typeof fields)[K]>, at: FieldPath) => T | undefined,
  ): T | undefined => {
    const value = fields[name];
    return value == null || wrong.has(name) ? undefined : read(value, [...path, name]);
  };
  const name = field('name', (text, at) => attempt(at, report, () => readName(text)));
  const account = field('account', (text, at) => attempt(at, report, () => readEmail(text)));
  const address = field('address', text => text);
  const secrets = field('secrets', (list, at) => readSecrets(list, at, report));
  const answers = field('answers', ({ rules }, at) => readAnswers(rules, at, report));
  const redaction = field('redaction', (value, at) => readRedaction(value, at, report));
  const forwards = field('forwards', (list, at) => readForwards(list, at, report));
  const guard = fields.guard === null ? null : field('guard', (value, at) => readGivenGuard(value, at, report));
  const retention = fields.retention === null ? null : field('retention', text => text);
  if (name === undefined || account === undefined) return undefined;
  return {
    path,
    name,
    account,
    ...(address !== undefined && { address }),
    ...(secrets && { secrets }),
    ...(answers && { answers }),
    ...(redaction && { redaction }),
    ...(forwards && { forwards }),
    ...(guard !== undefined && { guard }),
    ...(retention !== undefined && { retention }),
  };
}

/** @returns the rules with defaults filled in */
function readAnswers(rules: readonly unknown[], path: FieldPath, report: Report): AnswerRules | undefined {
  const forms = rules.map((rule, i) => readForm(AnswerRule, rule, [...path, 'rules', i], report));
  // The fields that have their form are checked further, also beside others that have not.
  const fitting = forms.map((form, i) => form ?? fittingPart(AnswerRule, rules[i]) ?? { answer: {} });
  const { given, problems } = checkRules({ rules: fitting });
  reportAll(problems, path, report);
  return problems.length === 0 && !forms.includes(undefined) ? { rules: given } : undefined;
}

/** @returns the redaction with defaults filled in */
function readRedaction(given: unknown, path: FieldPath, report: Report): Redaction | undefined {
  const form = readForm(GivenRedaction, given, path, report);
  const read = form && checkRedaction(form);
  if (!read) return undefined;
  return 'redaction' in read ? read.redaction : reportAll(read.problems, path, report);
}

/** @returns the forwards with defaults filled in */
function readForwards(list: readonly unknown[], path: FieldPath, report: Report): ForwardSettings[] | undefined {
  const names = new Set<string>();
  const forwards = list.map((one, index) => {
    const at = [...path, index];
    const form = readForm(ForwardInput, one, at, report);
    const read = form && attempt(at, report, () => readForward(form));
    if (read && names.has(read.name)) report([...at, 'name'], 'another forward of this endpoint has this name');
    if (read) names.add(read.name);
    return read;
  });
  return forwards.every(one => one !== undefined) ? forwards : undefined;
}

/** Checked with any stored secrets. Whether there are some is checked with the endpoint. */
function readGivenGuard(given: unknown, path: FieldPath, report: Report): Guard | undefined {
  const read = readGuard(given, anySecrets);
  // Its form has been checked. The secrets come from the file.
  return 'guard' in read ? (given as Guard) : reportAll(read.problems, path, report);
}
const anySecrets: Guard = {
  basic: { user: '', password: 'stored' },
  token: { in: 'query', name: '', value: 'stored' },
  onRefuse: 'drop',
};

function readSecrets(list: readonly unknown[], path: FieldPath, report: Report): DeclaredEndpoint['secrets'] {
  const secrets = list.flatMap((one, index) => {
    const at = [...path, index];
    const { platform, value } = readForm(SecretForm, one, at, report) ?? {};
    if (platform === undefined || value === undefined) return [];
    const parsed = parseSecret(platform, value);
    if ('error' in parsed) return report([...at, 'valueFrom'], parsed.error) ?? [];
    return [{ platform: platform === null ? null : (findPlatform(platform)?.name ?? null), secret: parsed.secret }];
  });
  return [...new Map(secrets.map(one => [JSON.stringify(one), one])).values()];
}
