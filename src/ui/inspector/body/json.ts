/* A strict, lossless JSON parser (RFC 8259): nodes point into the text. Iterative, so that deep nesting does not overflow the stack. */

export type JsonNode = {
  kind: 'object' | 'array' | 'string' | 'number' | 'true' | 'false' | 'null';
  /** Span of the value in the text, end exclusive; for containers it includes the brackets. */
  start: number;
  end: number;
  /** Span of the member's key with its quotes; -1 for array items and the root. */
  keyStart: number;
  keyEnd: number;
  parent: number;
  position: number;
  depth: number;
  size: number;
  /** Index of the first node after this subtree. Nodes are in document order. */
  after: number;
};

export type JsonDocument = {
  text: string;
  nodes: JsonNode[];
  /** The root contains the lines of the text, each a document of its own. */
  isLines?: true;
};
type JsonProblem = { problem: string; offset: number; line: number; column: number };

const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings exclude exactly these characters.
const plainPattern = /[^"\\\u0000-\u001f]*/y;
const escapePattern = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const spacePattern = /[ \t\n\r]*/y;
const literals = ['true', 'false', 'null'] as const;

const matchEnd = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
};

/** End of the string literal that starts at `at`, or -1. A loop, because one pattern for all of it overflows on megabytes. */
const stringEnd = (text: string, at: number): number => {
  if (text[at] !== '"') return -1;
  for (let end = at + 1; end > 0; end = matchEnd(escapePattern, text, end)) {
    end = matchEnd(plainPattern, text, end);
    if (text[end] === '"') return end + 1;
  }
  return -1;
};

/** Parses a document, skipping a leading byte order mark. Returns the problem and its position when the text is not JSON. */
export function parseJson(text: string): JsonDocument | JsonProblem {
  const nodes: JsonNode[] = [];
  const stack: number[] = [];
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const fail = (problem: string, offset = at): JsonProblem => ({ problem, offset, ...positionOf(text, offset) });
  const space = (): void => {
    at = matchEnd(spacePattern, text, at);
  };

  space();
  for (;;) {
    // Parse one value: at the root, after `[` or `,`, or after a key.
    const parent = stack.at(-1) ?? -1;
    const owner = parent < 0 ? undefined : nodes[parent];
    let keyStart = -1;
    let keyEnd = -1;
    if (owner?.kind === 'object') {
      keyStart = at;
      keyEnd = stringEnd(text, at);
      if (keyEnd < 0) return fail('expected a key in double quotes');
      at = keyEnd;
      space();
      if (text[at] !== ':') return fail('expected “:” after the key');
      at++;
      space();
    }
    const node: JsonNode = {
      kind: 'null',
      start: at,
      end: at,
      keyStart,
      keyEnd,
      parent,
      position: owner?.size ?? 0,
      depth: stack.length,
      size: 0,
      after: nodes.length + 1,
    };
    if (owner) owner.size++;
    const index = nodes.push(node) - 1;
    const first = text[at];
    let open = false;
    if (first === '{' || first === '[') {
      node.kind = first === '{' ? 'object' : 'array';
      at++;
      space();
      open = text[at] !== (first === '{' ? '}' : ']');
      stack.push(index);
      if (open) continue;
    } else {
      const end = scalarEnd(text, at, node);
      if (end < 0) return fail(at >= text.length ? 'unexpected end of text, expected a value' : 'expected a value');
      at = end;
      node.end = end;
      node.after = nodes.length;
    }
    // Close the containers that end here, then continue after a comma.
    for (;;) {
      space();
      const top = stack.at(-1);
      const container = top === undefined ? undefined : nodes[top];
      if (!container) {
        return at < text.length ? fail('unexpected text after the end of the document') : { text, nodes };
      }
      const close = container.kind === 'object' ? '}' : ']';
      if (text[at] === close) {
        at++;
        container.end = at;
        container.after = nodes.length;
        stack.pop();
        continue;
      }
      if (text[at] === ',') {
        at++;
        space();
        break;
      }
      return fail(at >= text.length ? 'unexpected end of text' : `expected “,” or “${close}”`);
    }
  }
}

const scalarEnd = (text: string, at: number, node: JsonNode): number => {
  if (text[at] === '"') {
    node.kind = 'string';
    return stringEnd(text, at);
  }
  for (const literal of literals) {
    if (text.startsWith(literal, at)) {
      node.kind = literal;
      return at + literal.length;
    }
  }
  node.kind = 'number';
  return matchEnd(numberPattern, text, at);
};

const positionOf = (text: string, offset: number): { line: number; column: number } => {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
};

export const isJsonDocument = (parsed: JsonDocument | JsonProblem): parsed is JsonDocument => 'nodes' in parsed;

/** The node whose key or value has this place of the text, or that ends closest before it. Nodes are in the order of the text. */
export function nodeAt({ nodes }: JsonDocument, offset: number): number {
  let low = 0;
  let high = nodes.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const node = nodes[middle];
    if (node && (node.keyStart < 0 ? node.start : node.keyStart) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

export const sourceText = (document: JsonDocument, node: JsonNode): string => document.text.slice(node.start, node.end);

/** The key without quotes and escapes, or undefined for array items and the root. */
export const keyOf = (document: JsonDocument, node: JsonNode): string | undefined =>
  node.keyStart < 0 ? undefined : unquote(document.text.slice(node.keyStart, node.keyEnd));

/** The text of “Copy value”: strings unquoted and unescaped, other values as written. */
export const valueText = (document: JsonDocument, node: JsonNode): string =>
  node.kind === 'string' ? unquote(sourceText(document, node)) : sourceText(document, node);

const unquote = (literal: string): string => JSON.parse(literal) as string;

const identifierPattern = /^[A-Za-z_$][\w$]*$/;

/** Path of a node in JSONPath notation: `$.items[0]["odd key"]`. */
export function pathOf(document: JsonDocument, index: number): string {
  const steps: string[] = [];
  for (let at = index; at >= 0; ) {
    const node = document.nodes[at];
    if (!node || node.parent < 0) break;
    const key = keyOf(document, node);
    if (key === undefined) steps.push(`[${node.position}]`);
    else steps.push(identifierPattern.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`);
    at = node.parent;
  }
  return `$${steps.reverse().join('')}`;
}

/** The text of a JSON document with new indentation; undefined if it is not JSON. */
export function prettyText(text: string): string | undefined {
  const parsed = parseJson(text);
  return isJsonDocument(parsed) ? prettyJson(parsed) : undefined;
}

/** The document with new indentation and otherwise unchanged text. */
export function prettyJson(document: JsonDocument): string {
  const out: string[] = [];
  const open: JsonNode[] = [];
  const closeUntil = (depth: number): void => {
    for (let top = open.at(-1); top && top.depth >= depth; top = open.at(-1)) {
      open.pop();
      out.push(`\n${'  '.repeat(Math.min(top.depth, 200))}${top.kind === 'object' ? '}' : ']'}`);
    }
  };
  for (const node of document.nodes) {
    closeUntil(node.depth);
    if (node.position > 0) out.push(',');
    if (node.depth > 0) out.push(`\n${'  '.repeat(Math.min(node.depth, 200))}`);
    if (node.keyStart >= 0) out.push(document.text.slice(node.keyStart, node.keyEnd), ': ');
    if (node.kind !== 'object' && node.kind !== 'array') out.push(sourceText(document, node));
    else if (node.size === 0) out.push(node.kind === 'object' ? '{}' : '[]');
    else {
      out.push(node.kind === 'object' ? '{' : '[');
      open.push(node);
    }
  }
  closeUntil(0);
  return out.join('');
}

/** NDJSON: a list of documents, one a line. Undefined when a line is not JSON. Empty lines are skipped. */
export function parseJsonLines(text: string): JsonDocument | undefined {
  const root: JsonNode = {
    kind: 'array',
    start: 0,
    end: text.length,
    keyStart: -1,
    keyEnd: -1,
    parent: -1,
    position: 0,
    depth: 0,
    size: 0,
    after: 0,
  };
  const nodes = [root];
  for (let start = 0; start <= text.length; ) {
    const lineEnd = text.indexOf('\n', start);
    const end = lineEnd < 0 ? text.length : lineEnd;
    const line = text.slice(start, end);
    if (line.trim() !== '') {
      const parsed = parseJson(line);
      if (!isJsonDocument(parsed)) return undefined;
      addDocument(nodes, parsed.nodes, start, root.size++);
    }
    start = end + 1;
  }
  root.after = nodes.length;
  return { text, nodes, isLines: true };
}

function addDocument(nodes: JsonNode[], added: readonly JsonNode[], offset: number, position: number): void {
  const base = nodes.length;
  for (const node of added) {
    const isRoot = node.parent < 0;
    nodes.push({
      ...node,
      start: node.start + offset,
      end: node.end + offset,
      keyStart: node.keyStart < 0 ? -1 : node.keyStart + offset,
      keyEnd: node.keyEnd < 0 ? -1 : node.keyEnd + offset,
      parent: isRoot ? 0 : node.parent + base,
      position: isRoot ? position : node.position,
      depth: node.depth + 1,
      after: node.after + base,
    });
  }
}
