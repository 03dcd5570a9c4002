/*
 * Models what a disk holds after a power cut, given the system calls before it. Data is on disk if the file was synced after
 * the write had returned; with O_DSYNC, as soon as the write has returned. Names are on disk if their directory was synced. Any
 * part of everything else may be on disk.
 */
import { dirname, resolve } from 'node:path';
import {
  changeFile,
  changeName,
  createDirectory,
  createFile,
  type DirectoryNode,
  type DiskNode,
  type FileChange,
  type FileNode,
  type Pending,
  type Survival,
  settle,
  sizeAfter,
  syncNode,
  writeDisk,
} from './disk-nodes.ts';
import type { Call, Step } from './trace.ts';

/** An open file; `dup` shares it. */
type Opened = { node: DiskNode; position: number; isSynced: boolean; isAppending: boolean };
type RunningWrite = { opened: Opened; node: FileNode; change: Pending<FileChange>; isPositioned: boolean };

const running = Number.POSITIVE_INFINITY;
/** Calls that would change files in ways that are not modelled. */
const unmodelled = /^(?:sync|syncfs|sync_file_range|truncate|copy_file_range|sendfile|msync|io_uring_setup)$/;

const numbersOf = ({ text }: Call): number[] => text.split(/, */).map(Number);
const descriptorOf = ({ text }: Call): number => Number.parseInt(text, 10);

export type DiskModel = ReturnType<typeof createDiskModel>;

/**
 * @param root absolute path of the modelled directory, which exists and is empty at first
 * @param workingDirectory of the process
 */
export function createDiskModel(root: string, workingDirectory: string) {
  const rootNode = createDirectory();
  const openFiles = new Map<number, Opened>();
  const writes = new Map<Call, RunningWrite>();
  const syncs = new Map<Call, { node: DiskNode; begunAt: number }>();
  let now = 0;

  /** Undefined outside the root. */
  const pathAt = ({ name, strings, text }: Call, index: number): string | undefined => {
    const given = strings[index]?.toString() ?? '';
    if (!given.startsWith('/') && /at2?$/.test(name) && /^\d/.test(text))
      throw new Error(`${name} of a name in an open directory is not modelled`);
    const path = resolve(workingDirectory, given);
    return path === root || path.startsWith(`${root}/`) ? path : undefined;
  };

  const nodeAt = (path: string): DiskNode | undefined =>
    path
      .slice(root.length)
      .split('/')
      .filter(name => name !== '')
      .reduce<DiskNode | undefined>(
        (at, name) => (at?.kind === 'directory' ? at.names.get(name) : undefined),
        rootNode,
      );

  const setName = (path: string, node: DiskNode | undefined): void => {
    if (path === root) return;
    const parent: DirectoryNode | undefined = directoryAt(dirname(path));
    if (!parent) throw new Error(`the directory of ${path} is unknown`);
    changeName(parent, { name: path.slice(path.lastIndexOf('/') + 1), node }, now);
  };

  const directoryAt = (path: string): DirectoryNode | undefined => {
    const node = nodeAt(path);
    return node?.kind === 'directory' ? node : undefined;
  };

  const open = (call: Call): void => {
    const { text, result = -1 } = call;
    const path = pathAt(call, 0);
    openFiles.delete(result);
    if (path === undefined) return;
    let node = nodeAt(path);
    if (!node && /O_CREAT/.test(text)) {
      node = createFile();
      setName(path, node);
    }
    if (!node) return;
    if (/O_TRUNC/.test(text) && node.kind === 'file' && node.size > 0) changeFile(node, { kind: 'size', size: 0 }, now);
    const [isSynced, isAppending] = [/O_D?SYNC/.test(text), /O_APPEND/.test(text)];
    openFiles.set(result, { node, position: 0, isSynced, isAppending });
  };

  const beginWrite = (call: Call): void => {
    const opened = openFiles.get(descriptorOf(call));
    if (opened?.node.kind !== 'file') return;
    const { node } = opened;
    const numbers = numbersOf(call);
    const isPositioned = call.name.startsWith('p');
    // The offset is the last argument; pwritev2 has flags after it.
    const position = (call.name === 'pwritev2' ? numbers.at(-2) : numbers.at(-1)) ?? 0;
    const offset = isPositioned ? position : opened.isAppending ? node.size : opened.position;
    const change = changeFile(node, { kind: 'data', offset, data: Buffer.concat(call.strings) }, running);
    writes.set(call, { opened, node, change, isPositioned });
  };

  const endWrite = (call: Call): void => {
    const write = writes.get(call);
    writes.delete(call);
    // If the process was killed during a write, it is unknown how much was written.
    if (!write || call.result === undefined) return;
    const { opened, node, change, isPositioned } = write;
    const written = Math.max(0, call.result);
    if (change.what.kind === 'data') change.what.data = change.what.data.subarray(0, written);
    if (!isPositioned) opened.position += written;
    if (written > 0) node.size = sizeAfter(node.size, change.what);
    change.returnedAt = now;
    change.isSynced = opened.isSynced;
    settle(node);
  };

  const setSize = (call: Call, size: number): void => {
    const opened = openFiles.get(descriptorOf(call));
    if (opened?.node.kind === 'file') changeFile(opened.node, { kind: 'size', size }, now);
  };

  const grow = (call: Call): void => {
    const [descriptor = -1, mode, offset = 0, length = 0] = numbersOf(call);
    const node = openFiles.get(descriptor)?.node;
    if (mode === 0 && node?.kind === 'file' && offset + length > node.size) setSize(call, offset + length);
  };

  const move = (call: Call, keepsOld: boolean): void => {
    const [from, to] = [pathAt(call, 0), pathAt(call, 1)];
    if ((from === undefined) !== (to === undefined)) throw new Error(`${call.name} leaves the modelled directory`);
    if (from === undefined || to === undefined) return;
    const node = nodeAt(from);
    if (!node) throw new Error(`${call.name}: ${from} is unknown`);
    setName(to, node);
    if (!keepsOld) setName(from, undefined);
  };

  const ends: Record<string, (call: Call) => void> = {
    open,
    openat: open,
    creat: open,
    lseek: call => {
      const opened = openFiles.get(descriptorOf(call));
      if (opened) opened.position = call.result ?? 0;
    },
    ftruncate: call => setSize(call, numbersOf(call)[1] ?? 0),
    fallocate: grow,
    mkdir: call => nameAt(call, createDirectory()),
    mkdirat: call => nameAt(call, createDirectory()),
    rmdir: call => nameAt(call, undefined),
    unlink: call => nameAt(call, undefined),
    unlinkat: call => nameAt(call, undefined),
    link: call => move(call, true),
    linkat: call => move(call, true),
    rename: call => move(call, false),
    renameat: call => move(call, false),
    renameat2: call => move(call, false),
  };

  const nameAt = (call: Call, node: DiskNode | undefined): void => {
    const path = pathAt(call, 0);
    if (path !== undefined) setName(path, node);
  };

  const begin = (call: Call): void => {
    if (/^p?write/.test(call.name)) beginWrite(call);
    else if (/^(?:fsync|fdatasync)$/.test(call.name)) {
      const node = openFiles.get(descriptorOf(call))?.node;
      if (node) syncs.set(call, { node, begunAt: now });
      // From now on another thread may get the same descriptor.
    } else if (call.name === 'close') openFiles.delete(descriptorOf(call));
  };

  const end = (call: Call): void => {
    const sync = syncs.get(call);
    syncs.delete(call);
    if (writes.has(call)) endWrite(call);
    else if (call.result === undefined || call.result < 0) return;
    else if (sync) syncNode(sync.node, sync.begunAt);
    else if (/^dup[23]?$/.test(call.name)) {
      const opened = openFiles.get(descriptorOf(call));
      if (opened) openFiles.set(call.result, opened);
    } else if (call.name === 'mmap') checkMapping(call);
    else if (unmodelled.test(call.name) && touchesModel(call)) throw new Error(`${call.name} is not modelled`);
    else ends[call.name]?.(call);
  };

  const touchesModel = (call: Call): boolean =>
    /^(?:sync|io_uring_setup)$/.test(call.name) || openFiles.has(descriptorOf(call)) || pathAt(call, 0) !== undefined;

  /** Shared memory changes a file without a system call. SQLite does this only for the WAL index, which it can rebuild. */
  const checkMapping = (call: Call): void => {
    if (!/PROT_WRITE.*MAP_SHARED/.test(call.text)) return;
    const node = openFiles.get(numbersOf(call)[4] ?? -1)?.node;
    if (node && ![...rootNode.names].some(([name, named]) => named === node && name.endsWith('-shm')))
      throw new Error('a file is written through memory, which is not modelled');
  };

  return {
    /** Applies the next step of the trace. */
    step({ kind, call }: Step): void {
      now++;
      if (kind === 'begin') begin(call);
      else end(call);
    },

    /** The process has exited and its files are closed. That does not sync them. */
    endProcess(): void {
      openFiles.clear();
      writes.clear();
      syncs.clear();
    },

    /** Whether a call syncs a modelled file, as a write with O_DSYNC does. */
    isSync: (call: Call): boolean => {
      const opened = openFiles.get(descriptorOf(call));
      return (
        opened !== undefined && (/^fd?a?t?a?sync$/.test(call.name) || (opened.isSynced && /^p?write/.test(call.name)))
      );
    },

    /** Writes the directory as it would be after a power cut now. */
    write: (path: string, survival: Survival, omit: RegExp): void => writeDisk(rootNode, path, survival, omit),
  };
}
