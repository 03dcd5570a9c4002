/*
 * The job control of a shell: the system stops a background process (`command &`) when it reads from the terminal or changes
 * its mode. Neither Bun nor Node knows whether a process is in the background, so the C library is asked.
 */
import { dlopen } from 'bun:ffi';

/** The names of the C library on each system; Linux has two kinds. Windows has no job control. */
const libraries: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  linux: ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1'],
  darwin: ['libSystem.B.dylib'],
};

function openLibrary(name: string) {
  try {
    const { symbols } = dlopen(name, {
      getpgrp: { args: [], returns: 'i32' },
      tcgetpgrp: { args: ['i32'], returns: 'i32' },
      _exit: { args: ['i32'], returns: 'void' },
    });
    return symbols;
  } catch {
    return undefined;
  }
}

/** Loads nothing before the first call. */
export function createJobControl(platform: NodeJS.Platform) {
  let library: ReturnType<typeof openLibrary>;
  let isOpened = false;
  const open = () => {
    if (!isOpened) for (const name of libraries[platform] ?? []) library ??= openLibrary(name);
    isOpened = true;
    return library;
  };
  return {
    /** Whether this process may use its terminal; true without job control, because then the process is never stopped. */
    isForeground(): boolean {
      const opened = open();
      if (!opened) return true;
      const foreground = [0, 1, 2].map(descriptor => opened.tcgetpgrp(descriptor)).find(group => group > 0);
      return foreground === undefined || foreground === opened.getpgrp();
    },
    /** Ends the process without changing the terminal. It returns if there is no job control. */
    exitInBackground: (exitCode: number): void => open()?._exit(exitCode),
  };
}
