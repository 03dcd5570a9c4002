/* Methods of `Client` that neither kind of database has: nothing may hold the writer while JavaScript thinks (ADR 2). */
import { LibsqlError } from '@libsql/client';

/** @param method as in the message of the error */
export const unsupported = (method: string) => () =>
  Promise.reject(new LibsqlError(`${method} is not available: use batch()`, 'UNSUPPORTED'));
