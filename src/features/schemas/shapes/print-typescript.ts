/* A schema as a TypeScript type, which accepts every body that was merged. */
import { commentText, keyName, typeName } from './names.ts';
import type { Schema } from './shape.ts';
import { type Option, type View, viewOf } from './view.ts';

export type Titled = { platform: string | null; type: string | null };

/** The first line of generated code. */
export const sourceLine = ({ platform, type }: Titled, { count }: Schema): string =>
  `// ${type === null ? 'events without a type' : commentText(type)}${platform === null ? '' : ` of ${commentText(platform)}`}, as seen in ${count} event${count === 1 ? '' : 's'}`;

export const toTypeScript = (schema: Schema, titled: Titled): string =>
  `${sourceLine(titled, schema)}\nexport type ${typeName(titled.type)} = ${print(viewOf(schema, titled.type), '')};\n`;

function print({ isUnknown, isNullable, options }: View, indent: string): string {
  if (isUnknown) return 'unknown';
  const printed = [...options.map(option => printOption(option, indent)), ...(isNullable ? ['null'] : [])];
  return printed.join(' | ');
}

function printOption(option: Option, indent: string): string {
  switch (option.kind) {
    case 'integer':
      return 'number';
    case 'string':
      return option.words ? option.words.map(word => JSON.stringify(word)).join(' | ') : 'string';
    case 'list':
      return option.items ? printList(option.items, indent) : 'unknown[]';
    case 'map':
      return `{ [key: string]: ${print(option.values, indent)} }`;
    case 'object':
      return printObject(option, indent);
    default:
      return option.kind;
  }
}

function printList(items: View, indent: string): string {
  const item = print(items, indent);
  const [only] = items.options;
  const isUnion =
    items.options.length + Number(items.isNullable) > 1 || (only?.kind === 'string' && only.words !== undefined);
  return isUnion ? `(${item})[]` : `${item}[]`;
}

function printObject({ properties, isCut }: Extract<Option, { kind: 'object' }>, indent: string): string {
  const inner = `${indent}  `;
  const lines = properties.map(
    ({ key, isOptional, view }) =>
      `${inner}${keyName(key)}${isOptional ? '?' : ''}: ${print(view, inner)};${remark(view)}\n`,
  );
  if (isCut) lines.push(`${inner}[key: string]: unknown;\n`);
  return lines.length === 0 ? '{}' : `{\n${lines.join('')}${indent}}`;
}

/** Facts that the type cannot express, as a comment. */
function remark({ options }: View): string {
  const remarks = options.flatMap(option => {
    if (option.kind === 'integer' && option.isLarge) return ['integers beyond 2^53, which JSON.parse rounds'];
    return option.kind === 'string' && option.format !== undefined && !option.words ? [option.format] : [];
  });
  return remarks.length > 0 ? ` // ${remarks.join(', ')}` : '';
}
