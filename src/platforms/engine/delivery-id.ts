/* The sender's id of a delivery, by the first rule that finds one. Runs on every delivery, and never throws. */
import { lowerName } from '../../core/headers.ts';
import { type DeliveryReader, firstFormValue } from './delivery-reader.ts';
import type { DeliveryId } from './model.ts';
import type { DeliveryIdRule, Platform } from './platform.ts';

export function readDeliveryId(platform: Platform, reader: DeliveryReader): DeliveryId | undefined {
  for (const rule of platform.deliveryId ?? []) {
    const id = readRule(rule, reader);
    if (id !== undefined) return { id, basis: 'header' in rule ? 'header' : 'body' };
  }
  return undefined;
}

function readRule(rule: DeliveryIdRule, reader: DeliveryReader): string | undefined {
  if ('header' in rule) return joined(rule.header, name => reader.header(lowerName(name)));
  const { body } = rule;
  if (typeof body === 'object' && 'read' in body) return idText(body.read(reader));
  const form = reader.form();
  return joined(body, path => (form === null ? reader.jsonValue(path) : firstFormValue(form, path)));
}

/** The parts of an id, with a space between them; undefined if one is missing. */
function joined(names: string | readonly string[], read: (name: string) => unknown): string | undefined {
  if (typeof names === 'string') return idText(read(names));
  const parts = names.map(name => idText(read(name)));
  return parts.includes(undefined) ? undefined : parts.join(' ');
}

/** Texts and safe integers as text; undefined otherwise: beyond that range, two different integers may become equal. */
function idText(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined;
  return typeof value === 'string' && value.trim() !== '' ? value.toWellFormed() : undefined;
}
