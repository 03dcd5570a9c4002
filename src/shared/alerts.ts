/* The kinds of alerts, what each of them takes, and the limits that the server checks and a form shows. */

export const alertKinds = ['silence', 'bad_signatures', 'new_type', 'schema_change', 'forward_stuck'] as const;
export type AlertKind = (typeof alertKinds)[number];

/** Which settings a kind takes besides its name and its channel. */
export const kindTakes: Readonly<Record<AlertKind, { where: boolean; minutes: boolean; count: boolean }>> = {
  silence: { where: true, minutes: true, count: false },
  bad_signatures: { where: true, minutes: true, count: true },
  new_type: { where: false, minutes: false, count: false },
  schema_change: { where: true, minutes: false, count: false },
  forward_stuck: { where: false, minutes: true, count: false },
};

export const alertChannels = ['email', 'slack', 'discord', 'ntfy', 'webhook'] as const;

export const maxAlertMinutes = 43_200;
export const maxAlertCount = 1000;
export const defaultAlertMinutes = 5;
export const defaultAlertCount = 3;
