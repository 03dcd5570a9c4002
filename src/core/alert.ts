/* The kinds of alerts, and the channels through which people hear of them. */

export const alertKinds = ['silence', 'bad_signatures', 'new_type', 'schema_change', 'forward_stuck'] as const;
export type AlertKind = (typeof alertKinds)[number];

export const alertChannels = ['email', 'slack', 'discord', 'ntfy', 'webhook'] as const;
export type AlertChannelType = (typeof alertChannels)[number];

/** Kinds that report something new each time. The others have a condition that begins and ends. */
export const reportingKinds: ReadonlySet<AlertKind> = new Set(['new_type', 'schema_change']);

/** The kind of the queues that hold notifications; each belongs to one alert. */
export const alertQueueName = 'alert';

/** States of storage that the operator is notified of. */
export const storageLevels = ['ok', 'low', 'failing'] as const;
export type StorageLevel = (typeof storageLevels)[number];
