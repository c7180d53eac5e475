import './styles/element.js';
import './state/theme.js';
import { createApp } from 'vue';
import App from './App.vue';
import { preferredLanguage, speak } from './i18n/i18n.js';
import { router } from './router.js';

await speak(preferredLanguage());
createApp(App).use(router).mount('#app');
