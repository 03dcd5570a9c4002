/*
 * Changes to an event that is sent again. `set` replaces the bytes of one JSON value, `unset` removes one member or item: every other
 * byte of the body stays as captured. Pure.
 */
import type { HeaderPair } from './headers.ts';

/** Paths are keys and list indexes with dots between them: `items.0.sku`. */
export type ReplayEdit = {
  /** Any JSON by path, written as `JSON.stringify` writes it; `parseExactJson` keeps numbers of any length and spelling. */
  set?: Readonly<Record<string, unknown>> | undefined;
  unset?: readonly string[] | undefined;
  /** In place of the whole body. */
  body?: string | undefined;
  bodyEncoding?: 'utf8' | 'base64' | undefined;
  /** A value replaces all headers of that name, or adds one; null removes them. */
  headers?: readonly (readonly [name: string, value: string | null])[] | undefined;
};

export type EditedRequest = { headers: HeaderPair[]; body: Uint8Array };

/** @throws invalid */
export type ApplyEdit = (
  event: { headers: readonly HeaderPair[]; body: Uint8Array },
  edit: ReplayEdit,
) => EditedRequest;
