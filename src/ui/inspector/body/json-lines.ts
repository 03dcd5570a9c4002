/* NDJSON: one JSON document a line. Read as a list of documents whose nodes point into the text. */

import { isJsonDocument, type JsonDocument, type JsonNode, parseJson } from './json.ts';

/** Undefined when a line is not JSON. Empty lines are skipped. */
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

/** Adds the nodes of one line below the root. */
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
