/*
 * Whether there is a newer version, if HOOKTAPE_CHECK_UPDATES is on. It asks once a day, even after a failure: a file in the data
 * directory says when, also after a restart, and for `hooktape version`.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetchNewestVersion, isNewer } from '../net/newest-version.ts';
import type { Infrastructure } from './infrastructure.ts';

const dayMs = 86_400_000;
const lookEveryMs = 600_000;

/** `version`: null if it could not be found out. */
export type UpdateCheck = { at: number; version: string | null };

const fileIn = (dataDir: string): string => join(dataDir, 'hooktape.update.json');

/** The last check, if it was less than a day ago. */
export function readUpdateCheck(dataDir: string, now: number): UpdateCheck | undefined {
  try {
    const { at, version } = JSON.parse(readFileSync(fileIn(dataDir), 'utf8')) as Partial<UpdateCheck>;
    const isRecent = typeof at === 'number' && at <= now && now - at < dayMs;
    if (!isRecent || !(version === null || /^[\d.]+$/.test(String(version)))) return undefined;
    return { at, version: version ?? null };
  } catch {
    return undefined;
  }
}

function writeUpdateCheck(dataDir: string, check: UpdateCheck): void {
  const file = fileIn(dataDir);
  writeFileSync(`${file}.tmp`, JSON.stringify(check), { mode: 0o600 });
  renameSync(`${file}.tmp`, file);
}

export function wireUpdates({ config, version, clock, log, every, runsQueues }: Infrastructure) {
  const { dataDir } = config;
  // A command does not check.
  const url = runsQueues ? config.updateUrl : undefined;
  let newest: string | null = null;
  let checkedAt: number | undefined;

  const look = async (from: string): Promise<void> => {
    const now = clock.now();
    if (checkedAt !== undefined && now >= checkedAt && now - checkedAt < dayMs) return;
    const known = readUpdateCheck(dataDir, now);
    checkedAt = known?.at ?? now;
    if (known) newest = known.version;
    else
      try {
        newest = await fetchNewestVersion(from);
        log.info('looked for a newer version', { newest });
      } catch (cause) {
        log.warn('looking for a newer version failed; the next try is in a day', { cause });
      } finally {
        writeUpdateCheck(dataDir, { at: now, version: newest });
      }
  };
  if (url !== undefined) every(lookEveryMs, 'looking for a newer version', () => look(url));

  return {
    /** Looks at the start; later it does by itself. */
    start(): void {
      if (url !== undefined)
        void look(url).catch(cause => log.warn('the check for updates could not be saved', { cause }));
    },
    /** The newest version, if it is newer than this one. */
    newest: (): string | undefined => (newest !== null && isNewer(newest, version) ? newest : undefined),
  };
}
