// Sets light or dark before anything is painted. Runs as a classic script at the head of every
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
})();
