/* `hooktape version`, also of a newer version if HOOKTAPE_CHECK_UPDATES is on. */
import { releasesUrl } from '../shared/releases.ts';
import { printResult, safeLine } from './client/output.ts';
import { ConfigurationError, type Io, type Run } from './io.ts';
import { fetchErrorMessage } from './system-errors.ts';

const timeoutMs = 3000;

export const runVersion: Run = async (given, io) => {
  const { version, commit } = io;
  const newest = await findNewest(io, given.envFile);
  const advice = newest === undefined ? '' : `${newest} is available: ${releasesUrl}\n`;
  const result = { version, commit, ...(newest !== undefined && { newest }) };
  printResult(io, given, result, `hooktape ${version} (${commit})\n${advice}`);
};

/** From the server's check of the day, or else by asking. The version of this program never depends on it. */
async function findNewest(io: Io, envFile: string | undefined): Promise<string | undefined> {
  try {
    const { loadConfig } = await import('./settings.ts');
    const { config } = loadConfig(io, envFile);
    if (config.updateUrl === undefined) return undefined;
    const { fetchNewestVersion, isNewer } = await import('../net/newest-version.ts');
    const { readUpdateCheck } = await import('../wiring/updates.ts');
    const known = readUpdateCheck(config.dataDir, io.clock.now());
    const newest = known ? known.version : await fetchNewestVersion(config.updateUrl, timeoutMs);
    return newest !== null && isNewer(newest, io.version) ? newest : undefined;
  } catch (error) {
    if (!(error instanceof ConfigurationError))
      io.stderr(`Looking for a newer version failed: ${safeLine(fetchErrorMessage(error))}\n`);
    return undefined;
  }
}
