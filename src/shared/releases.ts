/** Where versions of Hooktape are published. It is never taken from a response about the newest version. */
export const releasesUrl = 'https://github.com/hooktape/hooktape/releases';
