/* The rows of a JSON tree: one for each value, and a closing row for each open container. Iterative, for deep documents. */

import type { JsonDocument } from './json.ts';

/** The node index for a value or opening row; its complement (`~index`, negative) for a closing row. */
export type TreeRow = number;

export const nodeIndexOf = (row: TreeRow): number => (row < 0 ? ~row : row);

const maxFullyOpenNodes = 1500;
const maxOpenSubtreeNodes = 60;
const maxOpenDepth = 48;

/** A small tree starts fully open. In a large tree big subtrees below the root start closed. Very deep nodes always start closed. */
export function initiallyClosed(document: JsonDocument): Set<number> {
  const closed = new Set<number>();
  const isLarge = document.nodes.length > maxFullyOpenNodes;
  for (const [index, node] of document.nodes.entries()) {
    if (node.size === 0) continue;
    if (node.depth >= maxOpenDepth || (isLarge && node.depth >= 1 && node.after - index > maxOpenSubtreeNodes))
      closed.add(index);
  }
  return closed;
}

export const collapseAll = (document: JsonDocument): Set<number> =>
  new Set(document.nodes.flatMap((node, index) => (node.size > 0 && index > 0 ? [index] : [])));

export function treeRows(document: JsonDocument, closed: ReadonlySet<number>): TreeRow[] {
  const rows: TreeRow[] = [];
  const open: number[] = [];
  const { nodes } = document;
  const closeBefore = (index: number): void => {
    for (let top = open.at(-1); top !== undefined && (nodes[top]?.after ?? 0) <= index; top = open.at(-1)) {
      open.pop();
      rows.push(~top);
    }
  };
  for (let index = 0; index < nodes.length; ) {
    closeBefore(index);
    rows.push(index);
    const node = nodes[index];
    if (node && node.size > 0 && closed.has(index)) index = node.after;
    else {
      if (node && node.size > 0) open.push(index);
      index++;
    }
  }
  closeBefore(nodes.length);
  return rows;
}
