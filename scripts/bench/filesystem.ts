/*
 * A separate file system on a loop device. The kernel's counters for that device include everything that the program causes to
 * be written, the file system's journal too, and nothing that other processes write.
 */
import { chownSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { nobodyId } from '../lib/installation.ts';

export type Filesystem = {
  dir: string;
  /** Bytes written to the device so far; flushes the page cache first. */
  written: () => number;
  remove: () => void;
};

const sectorBytes = 512;
const megabytes = 2048;

/** Undefined if it cannot be created: not root, or no loop devices. */
export function makeFilesystem(): Filesystem | undefined {
  const tools = ['losetup', 'mkfs.ext4', 'mount', 'umount', 'sync'];
  if (process.getuid?.() !== 0 || tools.some(tool => !Bun.which(tool))) return undefined;
  const base = mkdtempSync(join(tmpdir(), 'hooktape-disk-'));
  const [image, dir] = [join(base, 'image'), mkdtempSync(join(base, 'mount-'))];
  let device: string | undefined;
  try {
    writeFileSync(image, '');
    truncateSync(image, megabytes * 2 ** 20);
    // Initialise all tables now: lazy initialisation by the kernel would be counted.
    run('mkfs.ext4', '-q', '-E', 'lazy_itable_init=0,lazy_journal_init=0', image);
    device = run('losetup', '--find', '--show', image);
    run('mount', device, dir);
  } catch (error) {
    console.log(`cannot create a separate file system: ${(error as Error).message}`);
    if (device) run('losetup', '--detach', device);
    rmSync(base, { recursive: true, force: true });
    return undefined;
  }
  const mounted = device;
  chownSync(dir, nobodyId, nobodyId);
  // The program runs as another user, who must be able to enter the directory.
  run('chmod', '755', base, dir);
  return {
    dir,
    written: () => {
      run('sync', '--file-system', dir);
      const fields = readFileSync(`/sys/block/${basename(mounted)}/stat`, 'utf8')
        .trim()
        .split(/\s+/);
      return Number(fields[6]) * sectorBytes;
    },
    remove: () => {
      run('umount', dir);
      run('losetup', '--detach', mounted);
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/** @returns the output of the command @throws if it fails */
function run(...command: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command);
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr.toString().trim()}`);
  return stdout.toString().trim();
}
