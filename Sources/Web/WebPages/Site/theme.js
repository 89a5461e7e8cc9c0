// Sets light or dark, and hides check-ins and diary if they are switched off, before anything is
// painted. Runs as a classic script at the head of every
// page.
(() => {
  const system = matchMedia('(prefers-color-scheme: dark)');
  let chosen = new URLSearchParams(location.search).get('theme');
  try {
    chosen ??= localStorage.getItem('pentimento-theme');
  } catch { /* a browser without storage */ }
  const apply = () => {
    const isDark = chosen ? chosen === 'dark' : system.matches;
    document.documentElement.toggleAttribute('data-dark', isDark);
    document.querySelector('meta[name=theme-color]')?.setAttribute('content', isDark ? '#171410' : '#f4efe6');
    dispatchEvent(new Event('themechange'));
  };
  window.theme = {
    get isDark() {
      return document.documentElement.hasAttribute('data-dark');
    },
    toggle() {
      chosen = this.isDark ? 'light' : 'dark';
      try {
        localStorage.setItem('pentimento-theme', chosen);
      } catch { /* without storage, it lasts until the page is closed */ }
      apply();
    },
  };
  system.addEventListener('change', apply);
  apply();

  // Check-ins and diary are an app of their own: this device may hide them, and a server may have
  // none. Each is 'off', or null.
  const off = { here: null, there: null };
  for (const where of Object.keys(off)) {
    try {
      off[where] = localStorage.getItem(`pentimento-journal-${where}`);
    } catch { /* a browser without storage */ }
  }
  const set = (where, isOn) => {
    off[where] = isOn ? null : 'off';
    try {
      if (isOn) localStorage.removeItem(`pentimento-journal-${where}`);
      else localStorage.setItem(`pentimento-journal-${where}`, 'off');
    } catch { /* as above */ }
    applyJournal();
  };
  const applyJournal = () => {
    document.documentElement.toggleAttribute('data-no-journal', Boolean(off.here || off.there));
    dispatchEvent(new Event('journalchange'));
  };
  window.journal = {
    get isWanted() {
      return !off.here;
    },
    get isServed() {
      return !off.there;
    },
    want: (isOn) => set('here', isOn),
    serve: (isOn) => set('there', isOn),
  };
  applyJournal();
})();
