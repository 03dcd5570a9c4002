/*
 * Holds what we learn from GitHub's own examples against the JSON schemas that octokit publishes, and against the compilers and
 * validators that people use.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import octokit from '@octokit/webhooks-schemas' with { type: 'json' };
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import { githubPayloads } from '../../../../scripts/lib/payloads.ts';
import { compileSchema, learn } from '../../../testing/schemas.ts';
import { typeName } from './names.ts';
import { toJsonSchema } from './print-json-schema.ts';
import { toTypeScript } from './print-typescript.ts';
import { toZod } from './print-zod.ts';
import { type View, viewOf } from './view.ts';

const decoder = new TextDecoder();
const types = [...Map.groupBy(githubPayloads(), ({ event }) => event)].map(([type, payloads]) => {
  const texts = payloads.map(({ body }) => decoder.decode(body));
  return { type, texts, schema: learn(texts), titled: { platform: 'github', type } };
});

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-types-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('each JSON Schema accepts the examples that it was learned from, and none without a required property or with another type', () => {
  for (const { type, texts, schema } of types) {
    const printed = toJsonSchema(schema, type) as { required: string[] };
    const isValid = compileSchema(printed);
    for (const text of texts) expect([type, isValid(JSON.parse(text)), isValid.errors]).toEqual([type, true, null]);
    const [required = ''] = printed.required;
    const { [required]: value, ...without } = JSON.parse(texts[0] ?? '');
    expect([type, isValid(without)]).toEqual([type, false]);
    expect([type, isValid({ ...without, [required]: [value] })]).toEqual([type, false]);
  }
});

test('each Zod schema parses the examples, with Zod 4 and Zod 3', () => {
  for (const { type, texts, schema, titled } of types) {
    const source = toZod(schema, titled)
      .replace("import { z } from 'zod';", '')
      .replace(`export const ${typeName(type)} =`, 'return');
    for (const library of [z, z3]) {
      const parser = new Function('z', source)(library) as { safeParse: (value: unknown) => { success: boolean } };
      for (const text of texts) expect([type, parser.safeParse(JSON.parse(text)).success]).toEqual([type, true]);
      expect(parser.safeParse([JSON.parse(texts[0] ?? '')]).success).toBe(false);
    }
  }
});

const compile = async (names: readonly string[]): Promise<string> => {
  const options = { strict: true, noEmit: true, target: 'esnext', module: 'preserve', lib: ['esnext'], types: [] };
  const compilerOptions = { ...options, exactOptionalPropertyTypes: true };
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: names }));
  const tsc = join(import.meta.dir, '../../../../node_modules/typescript/lib/tsc.js');
  const child = Bun.spawn([process.execPath, tsc, '-p', directory], { stdout: 'pipe', stderr: 'inherit' });
  return new Response(child.stdout).text();
};

test('the TypeScript types compile, and accept the examples and nothing else', async () => {
  for (const { type, texts, schema, titled } of types) {
    const examples = texts.map(text => `(${text}) satisfies ${typeName(type)};\n`);
    writeFileSync(join(directory, `${type}.ts`), toTypeScript(schema, titled) + examples.join(''));
  }
  const star = types.find(({ type }) => type === 'star');
  const wrong = (star?.texts[0] ?? '').replace('"action":"created"', '"action":1');
  writeFileSync(join(directory, 'wrong.ts'), `import type { Star } from './star';\n(${wrong}) satisfies Star;\n`);
  expect(await compile(types.map(({ type }) => `${type}.ts`))).toBe('');
  expect(await compile(['wrong.ts'])).toContain("Type 'number' is not assignable to type 'string'");
});

/**
 * Where GitHub's examples and octokit's schemas of the same release differ. In each case the example has the value, so the published
 * schema would refuse GitHub's own example, or says less than the example shows.
 */
const knownDifferences: Record<string, string> = {
  // The examples have these; the schemas of some actions of this event do not list them, or say that they are always null.
  'code_scanning_alert: alert.updated_at: not in theirs': 'added to the alerts of the API later',
  'code_scanning_alert: alert.fixed_at: not in theirs': 'added to the alerts of the API later',
  'code_scanning_alert: alert.rule.tags: array, theirs null': 'filled in since the rules of CodeQL have tags',
  'code_scanning_alert: alert.rule.help: string, theirs null': 'filled in since the rules of CodeQL have a help text',
  // Nullable in the examples.
  'release: release.name: null, theirs string': 'a release without a title',
  'release: release.body: null, theirs string': 'a release without notes',
  // All examples have integers; theirs says number, which is any number.
  'deployment_review: workflow_run.pull_requests[].id: integer, theirs number': 'an id',
  'deployment_review: workflow_run.pull_requests[].number: integer, theirs number': 'counted',
  'workflow_run: workflow_run.pull_requests[].id: integer, theirs number': 'an id',
  'workflow_run: workflow_run.pull_requests[].number: integer, theirs number': 'counted',
  'organization: invitation.id: integer, theirs number': 'an id',
  'organization: invitation.team_count: integer, theirs number': 'counted',
  'projects_v2_item: projects_v2_item.id: integer, theirs number': 'an id',
  'workflow_job: workflow_job.run_id: integer, theirs number': 'an id',
};

test('no other path differs from octokit’s schemas', () => {
  const found = types.flatMap(({ type, schema }) => {
    const published = definitions[`${type}_event`] ?? definitions[`${type}$event`];
    if (!published) throw new Error(`octokit has no schema of ${type}`);
    return differences(viewOf(schema, type), resolve(published), '').map(difference => `${type}: ${difference}`);
  });
  expect(found.sort()).toEqual(Object.keys(knownDifferences).sort());
  expect(comparedPaths).toBeGreaterThan(12_000);
});

type Published = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Published>;
  additionalProperties?: Published | boolean;
  items?: Published | Published[];
} & { [union in 'oneOf' | 'anyOf' | 'allOf']?: Published[] };
const definitions = octokit.definitions as unknown as Record<string, Published>;
let comparedPaths = 0;

/** The alternatives of a schema, without references. */
function resolve(schema: Published): Published[] {
  if (schema.$ref !== undefined) return resolve(definitions[schema.$ref.replace('#/definitions/', '')] ?? {});
  const { oneOf = [], anyOf = [], allOf = [], ...own } = schema;
  const alternatives = [...oneOf, ...anyOf, ...allOf].flatMap(resolve);
  return alternatives.length === 0 || own.type || own.properties || own.enum ? [own, ...alternatives] : alternatives;
}

const typesOf = (schemas: readonly Published[]): Set<string> =>
  new Set(
    schemas.flatMap(({ type, enum: values, properties }) => {
      if (type !== undefined) return type;
      if (values) return values.map(value => (value === null ? 'null' : typeof value));
      return properties ? 'object' : 'any';
    }),
  );

const jsonTypes: Record<string, string> = { list: 'array', map: 'object' };

function differences(view: View, published: readonly Published[], path: string): string[] {
  comparedPaths++;
  const theirs = typesOf(published);
  const ours = view.options.map(({ kind }) => jsonTypes[kind] ?? kind);
  const found = [...ours, ...(view.isNullable ? ['null'] : [])].flatMap(type =>
    theirs.has(type) || theirs.has('any') ? [] : [`${path}: ${type}, theirs ${[...theirs].sort().join(' or ')}`],
  );
  for (const option of view.options) {
    if (option.kind === 'list' && option.items) {
      const items = published.flatMap(one => [one.items ?? []].flat().flatMap(resolve));
      if (items.length > 0) found.push(...differences(option.items, items, `${path}[]`));
    }
    for (const { key, view: value } of option.kind === 'object' ? option.properties : []) {
      const at = path === '' ? key : `${path}.${key}`;
      const next = published.flatMap(({ properties, additionalProperties }) => {
        const one = properties?.[key] ?? additionalProperties;
        return typeof one === 'object' ? resolve(one) : [];
      });
      if (next.length > 0) found.push(...differences(value, next, at));
      else if (published.some(({ properties }) => properties)) found.push(`${at}: not in theirs`);
    }
  }
  return found;
}
