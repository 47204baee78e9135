/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/screen/keys.h"

#include <string.h>

#include "base/util.h"

void screen_state_init(struct screen_state *state, enum screen_views view, uint64_t interval_ns)
{
	*state = (struct screen_state){.view = view, .interval_ns = interval_ns};
	for (size_t i = 0; i < SCREEN_VIEWS; i++)
		state->choices[i].sorted_by = screen_views[i]->sorted_by;
}

size_t screen_first_line(size_t first, size_t lines, size_t n_lines)
{
	return n_lines <= lines ? 0 : ZH_MIN(first, n_lines - lines);
}

/* Returns false when the key does not scroll. */
static bool scroll(size_t *first, size_t lines, size_t n_lines, int key)
{
	size_t page = lines > 1 ? lines - 1 : 1;

	*first = screen_first_line(*first, lines, n_lines);
	switch (key) {
	case SCREEN_KEY_UP:
		*first -= ZH_MIN(*first, (size_t)1);
		break;
	case SCREEN_KEY_DOWN:
		*first += 1;
		break;
	case SCREEN_KEY_PAGE_UP:
		*first -= ZH_MIN(*first, page);
		break;
	case SCREEN_KEY_PAGE_DOWN:
		*first += page;
		break;
	case SCREEN_KEY_HOME:
		*first = 0;
		break;
	case SCREEN_KEY_END:
		*first = n_lines;
		break;
	default:
		return false;
	}
	*first = screen_first_line(*first, lines, n_lines);
	return true;
}

/* The next step of the list, up or down, from wherever the interval is now. */
static void change_interval(struct screen_state *state, bool longer)
{
	static const uint64_t steps_ms[] = {
		100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000, 300000, 3600000};
	uint64_t now_ms = state->interval_ns / ZH_NSEC_PER_MSEC, next_ms = now_ms;

	for (size_t i = 0; i < ZH_ARRAY_SIZE(steps_ms); i++) {
		if (longer && steps_ms[i] > now_ms) {
			next_ms = steps_ms[i];
			break;
		}
		if (!longer && steps_ms[i] < now_ms)
			next_ms = steps_ms[i];
	}
	state->interval_ns = next_ms * ZH_NSEC_PER_MSEC;
}

/* The next of the columns that are shown; the history cannot be sorted by. */
static void change_sort(struct screen_state *state, size_t columns, bool back)
{
	const struct screen_view *view = screen_views[state->view];
	struct screen_choice *choice = &state->choices[state->view];
	struct screen_layout layout;
	size_t at = 0;

	screen_layout_make(&layout, view, columns, choice->wanted, state->is_wide, choice->skip);
	while (at + 1 < layout.n && layout.places[at].column != choice->sorted_by)
		at++;
	do {
		at = (at + (back ? layout.n - 1 : 1)) % layout.n;
	} while (view->columns[layout.places[at].column].kind == SCREEN_HISTORY && layout.n > 1);
	choice->sorted_by = layout.places[at].column;
	choice->reverse = false;
}

static void type(struct screen_state *state, int key)
{
	size_t length = strlen(state->filter);

	if (key == SCREEN_KEY_ESC || key == SCREEN_KEY_CLEAR)
		state->filter[0] = '\0';
	if (key == SCREEN_KEY_ESC || key == SCREEN_KEY_ENTER)
		state->is_typing = false;
	if (key == SCREEN_KEY_BACKSPACE && length)
		state->filter[length - 1] = '\0';
	if (key >= ' ' && key < SCREEN_KEY_BACKSPACE && length + 1 < sizeof(state->filter)) {
		state->filter[length] = (char)key;
		state->filter[length + 1] = '\0';
	}
	for (size_t i = 0; i < SCREEN_VIEWS; i++)
		state->choices[i].first = 0;
}

static void show_view(struct screen_state *state, size_t view)
{
	state->view = (enum screen_views)(view % SCREEN_VIEWS);
	state->has_help = false;
}

/* Left and right: the next view, or, where columns do not fit, the next column. */
static void move_sideways(struct screen_state *state, bool right)
{
	const struct screen_view *view = screen_views[state->view];
	struct screen_choice *choice = &state->choices[state->view];

	if (!state->is_wide)
		show_view(state, state->view + (right ? 1 : SCREEN_VIEWS - 1));
	else if (right)
		choice->skip = ZH_MIN(ZH_MAX(choice->skip, (size_t)1) + 1, view->n_columns - 1);
	else
		choice->skip = choice->skip > 2 ? choice->skip - 1 : 0;
}

static void press_letter(struct screen_state *state, const struct screen_page *page, int key)
{
	switch (key) {
	case 'q':
		state->quits = true;
		break;
	case '?':
	case 'h':
		state->has_help = !state->has_help;
		state->help_first = 0;
		break;
	case '/':
		state->is_typing = true;
		state->has_help = false;
		break;
	case 'p':
	case ' ':
		state->is_paused = !state->is_paused;
		break;
	case 's':
	case 'S':
		change_sort(state, page->columns, key == 'S');
		break;
	case 'r':
		state->choices[state->view].reverse = !state->choices[state->view].reverse;
		break;
	case 'w':
		state->is_wide = !state->is_wide;
		break;
	case '+':
	case '=': /* the same key without shift on many keyboards */
	case '-':
		change_interval(state, key != '-');
		break;
	default:
		if (key >= '1' && key < '1' + SCREEN_VIEWS)
			show_view(state, (size_t)(key - '1'));
	}
}

void screen_press(struct screen_state *state, const struct screen_page *page, int key)
{
	struct screen_choice *choice = &state->choices[state->view];
	bool scrolls = state->has_help ? scroll(&state->help_first, page->help_lines,
						 page->n_help_lines, key)
				       : scroll(&choice->first, page->lines, page->n_lines, key);

	if (scrolls)
		return;
	if (state->is_typing) {
		type(state, key);
		return;
	}
	if (key == SCREEN_KEY_ESC && state->has_help)
		state->has_help = false;
	else if (key == SCREEN_KEY_ESC)
		type(state, key);
	else if (key == SCREEN_KEY_TAB || key == SCREEN_KEY_BACK_TAB)
		show_view(state,
			state->view + (key == SCREEN_KEY_TAB ? 1 : (size_t)SCREEN_VIEWS - 1));
	else if (key == SCREEN_KEY_LEFT || key == SCREEN_KEY_RIGHT)
		move_sideways(state, key == SCREEN_KEY_RIGHT);
	else
		press_letter(state, page, key);
}
