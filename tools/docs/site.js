'use strict';
// Search over the sections of all pages, and a button that copies code.

const field = document.getElementById('search'), list = document.getElementById('found'), root = document.body.dataset.root;
let at = 0;

function escapeText(text) {
    return text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
}

// A section counts by where the words are: its title, its page, its text. All words must be there.
function score(words, [page, section, , text]) {
    let sum = 0;
    const places = [[section.toLowerCase(), 12], [page.toLowerCase(), 8], [text.toLowerCase(), 2]];
    for (const word of words) {
        let best = 0;
        for (const [place, weight] of places) {
            const index = place.indexOf(word);
            if (index < 0) continue;
            const whole = !/\w/.test(place[index - 1] || ' ') && !/\w/.test(place[index + word.length] || ' ');
            best = Math.max(best, weight * (whole ? 2 : 1));
        }
        if (best === 0) return 0;
        sum += best;
    }
    return sum;
}

function excerpt(text, words) {
    const index = Math.max(0, text.toLowerCase().indexOf(words[0]) - 60);
    const pattern = new RegExp(words.map(w => w.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'gi');
    return escapeText(text.slice(index, index + 190)).replace(pattern, m => `<mark>${m}</mark>`);
}

function search() {
    const words = field.value.toLowerCase().split(/\s+/).filter(w => w !== '');
    list.hidden = words.length === 0;
    if (list.hidden) return;
    const found = (window.searchIndex || []).map(s => [score(words, s), s]).filter(([n]) => n > 0).sort((a, b) => b[0] - a[0]).slice(0, 20);
    at = 0;
    list.innerHTML = found.map(([, [page, section, address, text]], i) =>
        `<a href="${root}${address}"${i === 0 ? ' class="at"' : ''}><strong>${escapeText(page)}</strong>` +
        `${section ? ' › ' + escapeText(section) : ''}<small>${excerpt(text, words)}</small></a>`).join('') || '<a>Nothing found.</a>';
}

function choose(step) {
    const links = [...list.querySelectorAll('a')];
    links[at]?.classList.remove('at');
    at = Math.max(0, Math.min(links.length - 1, at + step));
    links[at]?.classList.add('at');
    links[at]?.scrollIntoView({block: 'nearest'});
}

field.addEventListener('input', search);
field.addEventListener('keydown', event => {
    if (event.key === 'ArrowDown') choose(1);
    else if (event.key === 'ArrowUp') choose(-1);
    else if (event.key === 'Enter') list.querySelectorAll('a')[at]?.click();
    else if (event.key === 'Escape') field.value = '', search(), field.blur();
    else return;
    event.preventDefault();
});
document.addEventListener('keydown', event => {
    if (event.key !== '/' || event.target.matches('input')) return;
    event.preventDefault();
    field.focus();
});
document.addEventListener('click', event => {
    if (!list.contains(event.target) && event.target !== field) list.hidden = true;
});

for (const block of document.querySelectorAll('.code')) {
    const button = document.createElement('button');
    button.className = 'copy';
    button.textContent = 'copy';
    button.onclick = () => navigator.clipboard?.writeText(block.querySelector('code').textContent).then(() => {
        button.textContent = 'copied';
        setTimeout(() => button.textContent = 'copy', 1500);
    });
    block.append(button);
}
