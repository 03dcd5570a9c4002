/* Whether this is a Mac, whose shortcuts have ⌘ where others have Ctrl. */

export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
