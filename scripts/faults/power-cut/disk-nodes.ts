/*
 * Files and directories of a modelled disk. Each change is kept separately until it is synced, because until then it may be lost
 * independently of the others: writes may reach the disk in any order.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A disk writes a sector completely or not at all. */
export const sectorBytes = 512;

export type FileChange = { kind: 'data'; offset: number; data: Buffer } | { kind: 'size'; size: number };
export type NameChange = { name: string; node: DiskNode | undefined };

/** `returnedAt`: the step of the trace at which its call returned. */
export type Pending<T> = { what: T; returnedAt: number; isSynced: boolean };

export type FileNode = {
  kind: 'file';
  /** The size that processes see. */
  size: number;
  /** The bytes on disk: the first `syncedSize` bytes. */
  content: Buffer;
  syncedSize: number;
  changes: Pending<FileChange>[];
};
export type DirectoryNode = {
  kind: 'directory';
  /** The names that processes see. */
  names: Map<string, DiskNode>;
  syncedNames: Map<string, DiskNode>;
  changes: Pending<NameChange>[];
};
export type DiskNode = FileNode | DirectoryNode;

/** Which unsynced changes survive. */
export type Survival = {
  data: (change: FileChange) => FileChange | undefined;
  /** Whether an unsynced name change survives. */
  names: boolean;
};

export const onlySynced: Survival = { data: () => undefined, names: false };

export const createDirectory = (): DirectoryNode => ({
  kind: 'directory',
  names: new Map(),
  syncedNames: new Map(),
  changes: [],
});

export const createFile = (): FileNode => ({
  kind: 'file',
  size: 0,
  content: Buffer.alloc(0),
  syncedSize: 0,
  changes: [],
});

/** @param returnedAt infinite while the call is running */
export function changeFile(node: FileNode, what: FileChange, returnedAt: number): Pending<FileChange> {
  const pending = { what, returnedAt, isSynced: false };
  node.changes.push(pending);
  if (Number.isFinite(returnedAt)) node.size = sizeAfter(node.size, what);
  return pending;
}

/** The size that processes see after a change. */
export const sizeAfter = (size: number, change: FileChange): number =>
  change.kind === 'size' ? change.size : Math.max(size, change.offset + change.data.length);

export function changeName(directory: DirectoryNode, what: NameChange, returnedAt: number): void {
  if (what.node) directory.names.set(what.name, what.node);
  else directory.names.delete(what.name);
  directory.changes.push({ what, returnedAt, isSynced: false });
}

/** Syncs the changes of calls that had returned before step `before`. */
export function syncNode(node: DiskNode, before: number): void {
  for (const change of node.changes) if (change.returnedAt < before) change.isSynced = true;
  settle(node);
}

/** Merges synced changes that no unsynced change precedes. */
export function settle(node: DiskNode): void {
  if (node.kind === 'file')
    while (node.changes[0]?.isSynced) {
      const [first] = node.changes.splice(0, 1);
      if (first)
        ({ content: node.content, size: node.syncedSize } = applied(first.what, node.content, node.syncedSize));
    }
  else
    while (node.changes[0]?.isSynced) {
      const [first] = node.changes.splice(0, 1);
      if (first) setName(node.syncedNames, first.what);
    }
}

function setName(names: Map<string, DiskNode>, { name, node }: NameChange): void {
  if (node) names.set(name, node);
  else names.delete(name);
}

/** Changes `content` in place if possible. */
function applied(change: FileChange, content: Buffer, size: number): { content: Buffer; size: number } {
  if (change.kind === 'size') {
    if (change.size < size) content.fill(0, change.size, size);
    return { content: withRoom(content, change.size), size: change.size };
  }
  const end = change.offset + change.data.length;
  const roomy = withRoom(content, end);
  roomy.set(change.data, change.offset);
  return { content: roomy, size: Math.max(size, end) };
}

function withRoom(content: Buffer, bytes: number): Buffer {
  if (bytes <= content.length) return content;
  const grown = Buffer.alloc(Math.max(bytes, content.length * 2));
  grown.set(content);
  return grown;
}

function contentAfter({ content, syncedSize, changes }: FileNode, survival: Survival): Buffer {
  const left = changes.flatMap(({ what, isSynced }) => (isSynced ? what : (survival.data(what) ?? [])));
  if (left.length === 0) return content.subarray(0, syncedSize);
  let state: { content: Buffer; size: number } = { content: Buffer.from(content), size: syncedSize };
  for (const change of left) state = applied(change, state.content, state.size);
  return state.content.subarray(0, state.size);
}

function namesAfter({ syncedNames, changes }: DirectoryNode, survival: Survival): Map<string, DiskNode> {
  const names = new Map(syncedNames);
  for (const { what, isSynced } of changes) if (isSynced || survival.names) setName(names, what);
  return names;
}

/** Writes what the disk would hold to `path`, a directory that does not exist. @param omit names of files to leave out */
export function writeDisk(directory: DirectoryNode, path: string, survival: Survival, omit: RegExp): void {
  mkdirSync(path, { mode: 0o700 });
  for (const [name, node] of namesAfter(directory, survival)) {
    if (omit.test(name)) continue;
    const to = join(path, name);
    if (node.kind === 'directory') writeDisk(node, to, survival, omit);
    else writeFileSync(to, contentAfter(node, survival), { mode: 0o600 });
  }
}
