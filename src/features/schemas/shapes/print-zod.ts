/* A schema for Zod 3 and 4, which parses every body that was merged. Unknown properties are left to Zod, which removes them. */
import { keyName, typeName } from './names.ts';
import { sourceLine, type Titled } from './print-typescript.ts';
import type { Schema } from './shape.ts';
import { type Option, type View, viewOf } from './view.ts';

const importLine = "import { z } from 'zod';";

export function toZod(schema: Schema, titled: Titled): string {
  const value = print(viewOf(schema, titled.type), '');
  return `${importLine}\n\n${sourceLine(titled, schema)}\nexport const ${typeName(titled.type)} = ${value};\n`;
}

function print({ isUnknown, isNullable, options }: View, indent: string): string {
  if (isUnknown) return 'z.unknown()';
  const printed = options.map(option => printOption(option, indent));
  const [first] = printed;
  if (first === undefined) return 'z.null()';
  const value = printed.length === 1 ? first : `z.union([${printed.join(', ')}])`;
  return isNullable ? `${value}.nullable()` : value;
}

function printOption(option: Option, indent: string): string {
  switch (option.kind) {
    case 'boolean':
    case 'number':
      return `z.${option.kind}()`;
    case 'integer':
      // Zod 4 refuses integers beyond 2^53.
      return option.isLarge ? 'z.number()' : 'z.number().int()';
    case 'string':
      return printText(option);
    case 'list':
      return `z.array(${option.items ? print(option.items, indent) : 'z.unknown()'})`;
    case 'map':
      return `z.record(z.string(), ${print(option.values, indent)})`;
    case 'object':
      return printObject(option, indent);
  }
}

/** Formats are only remarks: Zod's checks are stricter than what senders call a UUID or an address. */
function printText({ format, words }: Extract<Option, { kind: 'string' }>): string {
  if (words?.length === 1) return `z.literal(${JSON.stringify(words[0])})`;
  if (words) return `z.enum([${words.map(word => JSON.stringify(word)).join(', ')}])`;
  return format === undefined ? 'z.string()' : `z.string() /* ${format} */`;
}

function printObject({ properties, isCut }: Extract<Option, { kind: 'object' }>, indent: string): string {
  const inner = `${indent}  `;
  const lines = properties
    // In an object literal it would set the prototype, and Zod has no other way.
    .filter(({ key }) => key !== '__proto__')
    .map(
      ({ key, isOptional, view }) =>
        `${inner}${keyName(key)}: ${print(view, inner)}${isOptional ? '.optional()' : ''},\n`,
    );
  const object = lines.length === 0 ? 'z.object({})' : `z.object({\n${lines.join('')}${indent}})`;
  return isCut ? `${object}.passthrough()` : object;
}
