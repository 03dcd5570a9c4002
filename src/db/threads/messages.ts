/* The messages to and from a database thread. Rows are plain arrays, because a clone loses the accessors of libSQL's rows. */
import type { InStatement, InValue, ResultSet, Row, Value } from '@libsql/client';
import type { PagesRequest } from '../pages/changed-pages.ts';
import { packArguments, unpackArguments } from './packed-arguments.ts';

export type Statement = { sql: string; args: InValue[] | Record<string, InValue> };

/** Positional arguments are packed; named ones are few and rare, and sent unpacked. */
export type PackedStatement = { sql: string; packed: ArrayBuffer; count: number } | Statement;

/** A request, whose statements are packed or not yet. */
export type ThreadRequest<Given = Statement> =
  | { kind: 'execute'; statement: Given }
  | { kind: 'batch'; statements: Given[]; mode: 'read' | 'write' }
  | { kind: 'migrate'; statements: Given[] }
  | { kind: 'script'; sql: string }
  | { kind: 'job'; input: unknown }
  /** Asks for changed pages (pages/changed-pages.ts). */
  | { kind: 'pages'; input: PagesRequest }
  | { kind: 'vacuum-into'; path: string }
  | { kind: 'truncate-wal' }
  | { kind: 'clear-pages'; from: number; count: number }
  | { kind: 'stop-clearing' }
  | { kind: 'close' };

export type RequestMessage = ThreadRequest<PackedStatement> & { id: number };

export type PackedResult = {
  columns: string[];
  columnTypes: string[];
  rows: Value[][];
  rowsAffected: number;
  lastInsertRowid: bigint | undefined;
};

export type PackedError = {
  message: string;
  code: string;
  extendedCode?: string;
  rawCode?: number;
  statementIndex?: number;
};

export type ReplyMessage =
  /** `ms`: how long the thread worked on the request, nearly without its waiting for the processor (thread-server.ts). */
  | { id: number; results: PackedResult[]; output?: unknown; ms: number }
  | { id: number; error: PackedError }
  | { kind: 'ready' }
  | { kind: 'failed'; error: PackedError }
  | { kind: 'busy' };

/** The first message. `schema`: creates the tables of an empty file. `tracksChanges`: for `pages` requests. */
export type OpenMessage = { path: string; readOnly: boolean; schema?: readonly string[]; tracksChanges?: boolean };

/** @param stmt any form that `@libsql/client` accepts */
export function toStatement(stmt: InStatement | [string, (InValue[] | Record<string, InValue>)?]): Statement {
  if (typeof stmt === 'string') return { sql: stmt, args: [] };
  if (Array.isArray(stmt)) return { sql: stmt[0], args: stmt[1] ?? [] };
  return { sql: stmt.sql, args: stmt.args ?? [] };
}

const readSql = /^\s*(?:select|explain|values)\b/i;

/** Whether a statement only reads. Other reading statements, such as `WITH … SELECT`, count as writes. */
export const isRead = ({ sql }: Statement): boolean => readSql.test(sql);

/** @param transfer collects the buffers to transfer to the thread */
export function packStatement({ sql, args }: Statement, transfer: ArrayBuffer[]): PackedStatement {
  if (!Array.isArray(args) || args.length === 0) return { sql, args };
  const packed = packArguments(args);
  transfer.push(packed);
  return { sql, packed, count: args.length };
}

export const unpackStatement = (statement: PackedStatement): Statement =>
  'packed' in statement ? { sql: statement.sql, args: unpackArguments(statement.packed, statement.count) } : statement;

/**
 * Rows can be read by position, name and `length`, like the rows of the client library. They are arrays with the names added,
 * which is many times cheaper than non-enumerable properties; reading a whole history makes millions of rows.
 */
export function unpackResult(packed: PackedResult): ResultSet {
  const { columns } = packed;
  const rows = packed.rows.map(values => {
    const row = values as unknown as Row;
    for (let i = 0; i < columns.length; i++) row[columns[i] as string] = values[i] as Value;
    return row;
  });
  return { ...packed, rows, toJSON: () => ({ ...packed, lastInsertRowid: packed.lastInsertRowid?.toString() }) };
}

export function packError(error: unknown): PackedError {
  const { message, code, extendedCode, rawCode, statementIndex } = error as PackedError;
  return {
    message: String(message ?? error),
    code: typeof code === 'string' ? code : 'UNKNOWN',
    ...(extendedCode !== undefined && { extendedCode }),
    ...(rawCode !== undefined && { rawCode }),
    ...(statementIndex !== undefined && { statementIndex }),
  };
}
