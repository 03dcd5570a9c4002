/* Applies HOOKTAPE_ENDPOINTS_FILE before the server listens. Only `hooktape apply --prune` removes endpoints. */
import type { CoreServices } from '../../wiring/core.ts';
import { counts, inOrder, problemLine } from '../apply.ts';
import { ConfigurationError, type Io } from '../io.ts';
import { readEndpointsFile, UnreadableFileError } from './endpoints-file.ts';

/** @throws ConfigurationError with every problem */
export async function applyAtStart({ env }: Io, { declared, log }: CoreServices, file: string): Promise<void> {
  const refuse = (problems: readonly string[]): never => {
    throw new ConfigurationError(problems.map(problem => `HOOKTAPE_ENDPOINTS_FILE: ${problem}`));
  };
  const { document, problems, describe } = readOr(file, env, refuse);
  const isFit = problems.length === 0;
  const result =
    document === null
      ? { problems: [] }
      : await declared.apply({ document, dryRun: !isFit, prune: false, force: false });
  const found = [...problems, ...('problems' in result ? result.problems : [])];
  if (found.length > 0) refuse(inOrder(found.map(describe)).map(problem => `${file}, ${problemLine(problem)}`));
  if ('created' in result) log.info('endpoints file applied', { file, ...counts(result) });
}

function readOr(file: string, env: Io['env'], refuse: (problems: readonly string[]) => never) {
  try {
    return readEndpointsFile(file, env);
  } catch (error) {
    if (error instanceof UnreadableFileError) return refuse([`cannot read ${file}: ${error.message}`]);
    throw error;
  }
}
