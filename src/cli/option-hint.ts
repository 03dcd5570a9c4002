/* Suggests the option that an unknown option was meant to be. */
import { settingNames } from '../config/settings.ts';
import { didYouMean } from '../shared/suggest.ts';
import { type UnknownOptionError, UsageError } from './io.ts';

/** Users may pass a setting as an option, as many programs allow. @param takesSettings as server commands do */
export function withHint({ option, known, message }: UnknownOptionError, takesSettings: boolean): UsageError {
  const setting = `HOOKTAPE_${option.replace(/^-+/, '').replaceAll('-', '_').toUpperCase()}`;
  if (takesSettings && settingNames.some(name => name === setting))
    return new UsageError(`${message}; set ${setting} in the environment or in an env file (--env-file FILE)`);
  if (!takesSettings && setting === 'HOOKTAPE_URL')
    return new UsageError(`${message}; set HOOKTAPE_URL in the environment, or sign in: hooktape login URL`);
  return new UsageError(`${message}${didYouMean(option, known)}`);
}
