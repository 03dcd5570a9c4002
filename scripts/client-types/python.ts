/* Prints schemas as Python's TypedDict classes, for Python 3.9 and later. A nested object gets a class named after its place. */
import { refersTo, type Schema, typesOf } from './schemas.ts';

const maxColumns = 100;
const header = [
  '"""Requests and responses of the API. Generated from /openapi.json by ``bun scripts/client-types.ts``. Do not edit."""',
  '',
  'from __future__ import annotations',
  '',
  'from typing import Any, Literal, Optional, TypedDict, Union',
  '',
  '',
];

type Output = { classes: string[]; names: string[] };

export function renderPython(schemas: readonly [string, Schema][]): string {
  const output: Output = { classes: [], names: [] };
  for (const [name, schema] of schemas) define(name, schema, output);
  const all = [...output.names].sort().map(name => `    "${name}",`);
  return [...header, '__all__ = [', ...all, ']', '', '', output.classes.join('\n\n\n'), ''].join('\n');
}

function define(name: string, schema: Schema, output: Output): void {
  output.names.push(name);
  if (schema.properties) output.classes.push(typedDict(name, schema, output));
  // Evaluated when the module is loaded, so the names in it must be quoted.
  else output.classes.push(`${name} = ${typeOf(schema, name, output, ref => `"${ref}"`)}`);
}

type Quote = (name: string) => string;
const plain: Quote = name => name;

function typedDict(name: string, { properties = {}, required = [] }: Schema, output: Output): string {
  const entries = Object.entries(properties);
  const isIdentifier = (key: string): boolean => /^[A-Za-z_]\w*$/.test(key) && !keywords.has(key);
  if (!entries.every(([key]) => isIdentifier(key))) {
    const fields = entries.map(
      ([key, schema]) =>
        `    ${JSON.stringify(key)}: ${typeOf(schema, name + pascal(key), output, ref => `"${ref}"`)},`,
    );
    const isTotal = entries.every(([key]) => required.includes(key));
    return [`${name} = TypedDict("${name}", {`, ...fields, `}${isTotal ? '' : ', total=False'})`].join('\n');
  }
  const fields = (keys: typeof entries): string[] =>
    keys.flatMap(([key, schema]) => [
      ...comment(schema.description),
      `    ${key}: ${typeOf(schema, name + pascal(key), output)}`,
    ]);
  const always = entries.filter(([key]) => required.includes(key));
  const sometimes = entries.filter(([key]) => !required.includes(key));
  if (sometimes.length === 0) return [`class ${name}(TypedDict):`, ...fields(always)].join('\n');
  if (always.length === 0) return [`class ${name}(TypedDict, total=False):`, ...fields(sometimes)].join('\n');
  const base = `_${name}Required`;
  return [
    `class ${base}(TypedDict):`,
    ...fields(always),
    '',
    '',
    `class ${name}(${base}, total=False):`,
    ...fields(sometimes),
  ].join('\n');
}

function typeOf(schema: Schema, place: string, output: Output, quote: Quote = plain): string {
  const name = refersTo(schema);
  if (name !== undefined) return quote(name);
  if ('const' in schema) return `Literal[${literal(schema.const)}]`;
  if (schema.enum) return `Literal[${schema.enum.map(literal).join(', ')}]`;
  if (schema.anyOf) return union(schema.anyOf.map(one => typeOf(one, place, output, quote)));
  return union(typesOf(schema).map(type => typeNamed(type, schema, place, output, quote)));
}

function union(types: string[]): string {
  const given = [...new Set(types)];
  if (given.join() === 'None') return 'None';
  const others = given.filter(type => type !== 'None');
  const joined = others.length > 1 ? `Union[${others.join(', ')}]` : (others[0] ?? 'Any');
  return others.length < given.length ? `Optional[${joined}]` : joined;
}

function typeNamed(type: string, schema: Schema, place: string, output: Output, quote: Quote): string {
  const inner = (one: Schema | undefined): string => (one ? typeOf(one, place, output, quote) : 'Any');
  switch (type) {
    case 'string':
      return 'str';
    case 'boolean':
      return 'bool';
    case 'null':
      return 'None';
    case 'integer':
      return 'int';
    case 'number':
      return 'float';
    case 'array':
      // The items of a tuple are in `items`, too.
      return `list[${inner(schema.items)}]`;
    case 'object':
      if (!schema.properties)
        return `dict[str, ${inner(typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined)}]`;
      define(place, schema, output);
      return quote(place);
    default:
      throw new Error(`no Python type for the JSON type ${type}`);
  }
}

const literal = (value: unknown): string =>
  value === true ? 'True' : value === false ? 'False' : value === null ? 'None' : JSON.stringify(value);

const pascal = (key: string): string =>
  key
    .split(/[^A-Za-z0-9]+/)
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

/** A description as comment lines above a field. */
function comment(description: string | undefined): string[] {
  const lines: string[] = [];
  let line = '    #';
  for (const word of description?.split(/\s+/) ?? []) {
    if (line.length + 1 + word.length > maxColumns) {
      lines.push(line);
      line = '    #';
    }
    line += ` ${word}`;
  }
  return line === '    #' ? lines : [...lines, line];
}

const keywords = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);
