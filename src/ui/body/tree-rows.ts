/* Which rows a JSON tree shows: an opening row per value, a closing row per open container. Iterative, and as long as what is visible. */

import type { JsonDocument } from './json.ts';

/** Node index for a value or opening row; its complement (`~index`, negative) for a closing row. */
export type TreeRow = number;

const maxFullyOpenNodes = 1500;
const maxOpenSubtreeNodes = 60;
const maxOpenDepth = 48;

/** What starts closed: nothing in a small tree; in a big one everything large below the second level, and whatever is very deep. */
export function initiallyClosed(document: JsonDocument): Set<number> {
  const closed = new Set<number>();
  const big = document.nodes.length > maxFullyOpenNodes;
  for (const [index, node] of document.nodes.entries()) {
    if (node.size === 0) continue;
    if (node.depth >= maxOpenDepth || (big && node.depth >= 1 && node.after - index > maxOpenSubtreeNodes))
      closed.add(index);
  }
  return closed;
}

/** Every container but the root. */
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
