/* The rule for names of consumers. A listener has the name of its consumer. */

export const consumerNameForm = '1 to 64 of the characters a-z, 0-9, ".", "_" and "-", but not "." or ".."';

/** Clients resolve `.` and `..` in a path: a request for such a consumer would reach its endpoint instead. */
export const isConsumerName = (text: string): boolean => /^(?!\.{1,2}$)[a-z0-9._-]{1,64}$/.test(text);
