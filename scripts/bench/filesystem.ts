/*
 * A file system of its own on a loop device, so that the kernel's figures of that device count everything that a program
 * causes to be written there, the file system's own journal included, and nothing of what else the machine does.
 */
import { chownSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { nobodyId } from '../lib/installation.ts';

export type Filesystem = {
  dir: string;
  /** Bytes written to the device so far; what is still in memory is written first. */
  written: () => number;
  remove: () => void;
};

const sectorBytes = 512;
const megabytes = 2048;

/** Undefined where it cannot be made: not root, or without loop devices. */
export function makeFilesystem(): Filesystem | undefined {
  const tools = ['losetup', 'mkfs.ext4', 'mount', 'umount', 'sync'];
  if (process.getuid?.() !== 0 || tools.some(tool => !Bun.which(tool))) return undefined;
  const base = mkdtempSync(join(tmpdir(), 'hooktape-disk-'));
  const [image, dir] = [join(base, 'image'), mkdtempSync(join(base, 'mount-'))];
  let device: string | undefined;
  try {
    writeFileSync(image, '');
    truncateSync(image, megabytes * 2 ** 20);
    // Everything is laid out now: what the kernel would do of it later would be counted.
    run('mkfs.ext4', '-q', '-E', 'lazy_itable_init=0,lazy_journal_init=0', image);
    device = run('losetup', '--find', '--show', image);
    run('mount', device, dir);
  } catch (error) {
    console.log(`no file system of its own: ${(error as Error).message}`);
    if (device) run('losetup', '--detach', device);
    rmSync(base, { recursive: true, force: true });
    return undefined;
  }
  const mounted = device;
  chownSync(dir, nobodyId, nobodyId);
  // Whoever runs the program has to get there.
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

/** What the command printed. @throws when it fails. */
function run(...command: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command);
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr.toString().trim()}`);
  return stdout.toString().trim();
}
