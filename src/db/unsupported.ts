/**
 * Methods of `Client` that neither kind of database supports, because no code may hold the writer while JavaScript runs (ADR
 * 2).
 */
import { LibsqlError } from '@libsql/client';

/** @param method the name for the error message */
export const unsupported = (method: string) => () =>
  Promise.reject(new LibsqlError(`${method} is not available: use batch()`, 'UNSUPPORTED'));
