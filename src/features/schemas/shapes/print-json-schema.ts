/* A schema as JSON Schema, draft 2020-12. Objects may have properties that it does not mention. */
import type { Schema } from './shape.ts';
import { type Option, type View, viewOf } from './view.ts';

export type JsonSchema = { [keyword: string]: unknown };

const cutComment = 'It has more properties than are described here.';

export function toJsonSchema(schema: Schema, type: string | null): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...(type !== null && { title: type }),
    ...print(viewOf(schema, type)),
  };
}

function print({ isUnknown, isNullable, options }: View): JsonSchema {
  if (isUnknown) return {};
  const printed = options.map(printOption);
  const [first] = printed;
  if (!first) return { type: 'null' };
  if (printed.length === 1) return isNullable ? nullable(first) : first;
  return { anyOf: [...printed, ...(isNullable ? [{ type: 'null' }] : [])] };
}

const nullable = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  type: [schema['type'], 'null'],
  ...(Array.isArray(schema['enum']) && { enum: [...schema['enum'], null] }),
});

function printOption(option: Option): JsonSchema {
  switch (option.kind) {
    case 'string':
      return {
        type: 'string',
        ...(option.words ? { enum: option.words } : option.format !== undefined && { format: option.format }),
      };
    case 'list':
      return { type: 'array', ...(option.items && { items: print(option.items) }) };
    case 'map':
      return { type: 'object', additionalProperties: print(option.values) };
    case 'object':
      return printObject(option);
    default:
      return { type: option.kind };
  }
}

function printObject({ properties, isCut }: Extract<Option, { kind: 'object' }>): JsonSchema {
  const required = properties.filter(({ isOptional }) => !isOptional).map(({ key }) => key);
  return {
    type: 'object',
    // Unlike an assignment, this makes an own property of any name.
    properties: Object.fromEntries(properties.map(({ key, view }) => [key, print(view)])),
    ...(required.length > 0 && { required }),
    ...(isCut && { $comment: cutComment, additionalProperties: true }),
  };
}
