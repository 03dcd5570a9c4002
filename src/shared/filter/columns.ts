/* Reads the values of column terms: sizes, times, statuses, networks and fixed words. */
import { parseCidr } from '../addresses.ts';
import { isComparable } from './fields.ts';
import {
  type ColumnName,
  type ColumnTerm,
  FilterError,
  type NumberRange,
  type Operator,
  states,
  type Value,
  verdicts,
} from './filter.ts';
import { parseTimeRange } from './times.ts';

type Written = { operator: Operator; value: Value; operatorAt: number; valueAt: number };

/** @throws FilterError if the column does not support the operator or the value */
export function readColumn(column: ColumnName, { operator, value, operatorAt, valueAt }: Written): ColumnTerm {
  if (operator !== ':' && !isComparable(column))
    throw new FilterError(`${column} does not support "${operator}"; use ${column}:…`, operatorAt);
  const base = { on: 'column', operator, value } as const;
  const refuse = (message: string): never => {
    throw new FilterError(message, valueAt);
  };
  if (column === 'size' || column === 'attempt' || column === 'answered') {
    const range = numberRange(column, operator, value.text);
    return { ...base, column, range: range ?? refuse(numberForms[column]) };
  }
  if (column === 'received') {
    const range = parseTimeRange(operator, value.text);
    return typeof range === 'string' ? refuse(range) : { ...base, column, range };
  }
  if (column === 'ip') {
    const network = parseCidr(value.text);
    return { ...base, column, network: network ?? refuse('ip takes an IP address or a network, such as 10.0.0.0/8') };
  }
  if (column === 'verdict') {
    const verdict = verdicts.find(one => one === value.text.toLowerCase());
    return { ...base, column, verdict: verdict ?? refuse(`verdict is one of ${verdicts.join(', ')}`) };
  }
  if (column === 'is') {
    const state = states.find(one => one === value.text.toLowerCase());
    return { ...base, column, state: state ?? refuse(`is: takes one of ${states.join(', ')}`) };
  }
  if (column === 'platform') return { ...base, column, value: { ...value, text: value.text.toLowerCase() } };
  if (column === 'method') return { ...base, column, value: { ...value, text: value.text.toUpperCase() } };
  return { ...base, column };
}

const numberForms = {
  size: 'size takes a number of bytes, such as 500, 10k or 1.5M',
  attempt: 'attempt takes a whole number, such as 2',
  answered: 'answered takes a status, such as 404, or a class, such as 5xx',
};

function numberRange(column: keyof typeof numberForms, operator: Operator, text: string): NumberRange | undefined {
  const interval = column === 'size' ? bytes(text) : column === 'answered' ? statuses(text) : wholeNumber(text);
  return interval && compared(operator, interval);
}

/** Two numbers, the second one included. */
type Interval = readonly [low: number, high: number];

const bytesPerUnit: Record<string, number> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** Also accepts `10KiB` and `10kB`; all of these mean KiB. */
function bytes(text: string): Interval | undefined {
  const [, number, unit = ''] = /^(\d{1,12}(?:\.\d{1,6})?)(?:b|([kmg])(?:i?b)?)?$/i.exec(text) ?? [];
  const size = Number(number) * (bytesPerUnit[unit.toLowerCase()] ?? 1);
  return number === undefined ? undefined : [size, size];
}

const wholeNumber = (text: string): Interval | undefined =>
  /^\d{1,9}$/.test(text) ? [Number(text), Number(text)] : undefined;

function statuses(text: string): Interval | undefined {
  if (!/^[1-9](?:\d\d|xx)$/i.test(text)) return undefined;
  return [Number(text.replaceAll(/x/gi, '0')), Number(text.replaceAll(/x/gi, '9'))];
}

/** A class of statuses is compared as a whole: `>4xx` is above 499. */
function compared(operator: Operator, [low, high]: Interval): NumberRange {
  if (operator === ':') return { min: Math.ceil(low), max: Math.floor(high) };
  if (operator === '>') return { min: Math.floor(high) + 1, max: undefined };
  if (operator === '>=') return { min: Math.ceil(low), max: undefined };
  return { min: undefined, max: operator === '<' ? Math.ceil(low) - 1 : Math.floor(high) };
}
