/* Prints schemas as TypeScript types. The result still has to be formatted. */
import { refersTo, type Schema, typesOf } from './schemas.ts';

export const renderTypeScript = (schemas: readonly [string, Schema][]): string =>
  [
    '/* Requests and responses of the API. Generated from /openapi.json by `bun scripts/client-types.ts`. Do not edit. */',
    ...schemas.map(([name, schema]) => `${documentation(schema)}export type ${name} = ${typeOf(schema)};`),
    '',
  ].join('\n\n');

function typeOf(schema: Schema): string {
  const name = refersTo(schema);
  if (name !== undefined) return name;
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return union(schema.enum.map(value => JSON.stringify(value)));
  if (schema.anyOf) return union(schema.anyOf.map(typeOf));
  if (schema.allOf) return schema.allOf.map(one => `(${typeOf(one)})`).join(' & ');
  return union(typesOf(schema).map(type => typeNamed(type, schema)));
}

const union = (types: string[]): string => [...new Set(types)].join(' | ') || 'unknown';

function typeNamed(type: string, schema: Schema): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return schema.prefixItems
        ? `[${schema.prefixItems.map(typeOf).join(', ')}]`
        : `(${schema.items ? typeOf(schema.items) : 'unknown'})[]`;
    case 'object':
      return objectType(schema);
    default:
      throw new Error(`no TypeScript type for the JSON type ${type}`);
  }
}

function objectType({ properties, required = [], additionalProperties }: Schema): string {
  if (!properties)
    return `Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'}>`;
  const fields = Object.entries(properties).map(([name, schema]) => {
    const isOptional = !required.includes(name);
    return `${documentation(schema)}${JSON.stringify(name)}${isOptional ? '?' : ''}: ${typeOf(schema)}${isOptional ? ' | undefined' : ''};`;
  });
  return `{\n${fields.join('\n')}\n}`;
}

const documentation = ({ description }: Schema): string =>
  description ? `/** ${description.replaceAll('*/', '*\\/')} */\n` : '';
