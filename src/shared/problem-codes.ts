/* The problems that have a code, because programs can do more about them than show the message; and the messages of destinations. */

/** Why nothing is sent to a destination that the operator could allow. */
export const destinationRefusals = {
  not_public: 'the destination is not a public address',
  port_not_allowed: 'the port of the destination is not allowed',
} as const;
export type DestinationRefusal = keyof typeof destinationRefusals;

/** `cannot_sign`: the request cannot get a new signature. */
export type ProblemCode = DestinationRefusal | 'cannot_sign';
export const problemCodes: readonly ProblemCode[] = ['not_public', 'port_not_allowed', 'cannot_sign'];

/** The code of a refusal that was stored or passed on as a message. */
export const destinationRefusalOf = (message: string): DestinationRefusal | undefined =>
  (['not_public', 'port_not_allowed'] as const).find(code => destinationRefusals[code] === message);
