/* The generated files of the client libraries match /openapi.json, and their packages have this version. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hooktapeImage } from '../../clients/testcontainers/src/container.ts';
import { openTestServer } from '../../src/testing/test-server.ts';
import { renderClientTypes } from '../client-types.ts';
import { version } from '../lib/about.ts';
import { repositoryRoot } from '../lib/executable.ts';
import { renderPython } from './python.ts';
import type { OpenApi } from './schemas.ts';
import { renderTypeScript } from './typescript.ts';

const textOf = (file: string): string => readFileSync(join(repositoryRoot, file), 'utf8');

test('the types of the client libraries are up to date', async () => {
  const server = await openTestServer();
  const document = (await (await server.fetch('/openapi.json')).json()) as OpenApi;
  await server.close();
  for (const { file, text } of await renderClientTypes(document))
    expect(textOf(file), `${file} is out of date: run bun run client-types`).toBe(text);
});

test('their packages have the version of the program, and the license', () => {
  const packages = ['typescript', 'testcontainers'].map(name => JSON.parse(textOf(`clients/${name}/package.json`)));
  expect(packages.map(one => one.version)).toEqual([version, version]);
  expect(packages[1].dependencies['@hooktape/client']).toBe(version);
  expect(hooktapeImage).toEndWith(`:${version}`);
  expect(/^version = "(.+)"$/m.exec(textOf('clients/python/pyproject.toml'))?.[1]).toBe(version);
  for (const name of ['typescript', 'testcontainers', 'python'])
    expect(textOf(`clients/${name}/LICENSE`)).toBe(textOf('LICENSE'));
});

test('the module for testcontainers asks for a Node with which the newest testcontainers works', () => {
  const nodeOf = (file: string): string => JSON.parse(textOf(file)).engines.node;
  const least = nodeOf('clients/testcontainers/package.json').replace('>=', '').trim();
  expect(Bun.semver.satisfies(`${least}.0`, nodeOf('node_modules/testcontainers/package.json'))).toBe(true);
  expect(textOf('clients/testcontainers/README.md')).toContain(`Node ${least} or later`);
});

test('the library for TypeScript imports only its own files', () => {
  const sources = new Bun.Glob('clients/typescript/src/*.ts').scanSync({ cwd: repositoryRoot });
  const imported = [...sources].flatMap(file =>
    [...textOf(file).matchAll(/(?:from|import)\s*\(?'([^']+)'/g)].map(([, from]) => from),
  );
  expect(imported.length).toBeGreaterThan(10);
  expect(imported.filter(from => !from?.startsWith('./'))).toEqual([]);
});

test('every kind of schema has a type in both languages', () => {
  const thing = {
    type: 'object',
    required: ['id', 'at'],
    properties: {
      id: { type: 'string', description: 'its id' },
      at: { type: ['integer', 'null'] },
      kind: { anyOf: [{ type: 'string', enum: ['a', 'b'] }, { type: 'null' }] },
      pairs: { type: 'array', items: { type: 'string' }, prefixItems: [{ type: 'string' }, { $ref: '#/x/Other' }] },
      inner: { type: 'object', required: ['in'], properties: { in: { const: true } } },
      any: {},
      map: { type: 'object', additionalProperties: { type: 'number' } },
    },
  };
  const schemas: Parameters<typeof renderPython>[0] = [
    ['Other', { anyOf: [{ $ref: '#/x/Thing' }, { type: 'boolean' }] }],
    ['Thing', thing],
  ];
  const typeScript = renderTypeScript(schemas).replace(/\s+/g, ' ');
  for (const line of [
    'export type Other = Thing | boolean;',
    '/** its id */ "id": string;',
    '"at": number | null;',
    `"kind"?: "a" | "b" | null | undefined;`,
    '"pairs"?: [string, Other] | undefined;',
    '"inner"?: { "in": true; } | undefined;',
    '"any"?: unknown | undefined;',
    '"map"?: Record<string, number> | undefined;',
  ])
    expect(typeScript).toContain(line);
  const python = renderPython(schemas);
  for (const text of [
    'Other = Union["Thing", bool]\n',
    'class _ThingRequired(TypedDict):\n    # its id\n    id: str\n    at: Optional[int]\n',
    'class Thing(_ThingRequired, total=False):\n    kind: Optional[Literal["a", "b"]]\n    pairs: list[str]\n    inner: ThingInner\n',
    'ThingInner = TypedDict("ThingInner", {\n    "in": Literal[True],\n})',
    '    any: Any\n    map: dict[str, float]',
  ])
    expect(python).toContain(text);
});
